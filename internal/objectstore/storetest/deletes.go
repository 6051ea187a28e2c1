package storetest

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/objectstore"
)

func deleteChecks() []check {
	return []check{
		{"DeleteRemoves", deleteRemoves},
		{"DeleteOfNothing", deleteOfNothing},
		{"DeleteOddKeys", deleteOddKeys},
		{"DeleteUnclearKeys", deleteUnclearKeys},
		{"DeleteMany", deleteMany},
		{"DeleteThenCreate", deleteThenCreate},
	}
}

func deleteRemoves(t *testing.T, s Store, prefix string) {
	for _, name := range []string{"gone", "gone too", "stays"} {
		_, err := s.Create(t.Context(), prefix+name, []byte(name), text)
		require.NoError(t, err)
	}
	require.NoError(t, s.Delete(t.Context(), []string{prefix + "gone", prefix + "gone too"}))
	for _, name := range []string{"gone", "gone too"} {
		_, err := s.Head(t.Context(), prefix+name)
		require.ErrorIs(t, err, collection.ErrObjectMissing)
	}
	requireContent(t, s, prefix+"stays", []byte("stays"), 1)
}

func deleteOfNothing(t *testing.T, s Store, prefix string) {
	require.NoError(t, s.Delete(t.Context(), nil))
	_, err := s.Put(t.Context(), prefix+"there", []byte("x"), text)
	require.NoError(t, err)
	for range 2 {
		require.NoError(t, s.Delete(t.Context(), []string{prefix + "never", prefix + "there"}), "what is not there hinders nothing")
	}
	_, err = s.Head(t.Context(), prefix+"there")
	require.ErrorIs(t, err, collection.ErrObjectMissing)
}

func deleteOddKeys(t *testing.T, s Store, prefix string) {
	var keys []string
	for _, name := range oddNames() {
		keys = append(keys, prefix+name)
		_, err := s.Put(t.Context(), prefix+name, []byte("x"), text)
		require.NoError(t, err, "key %q", prefix+name)
	}
	require.NoError(t, s.Delete(t.Context(), keys))
	for info, err := range s.List(t.Context(), prefix) {
		require.NoError(t, err)
		require.Fail(t, "still there", "%q", info.Key)
	}
}

func deleteUnclearKeys(t *testing.T, s Store, prefix string) {
	_, err := s.Put(t.Context(), prefix+"target", []byte("x"), text)
	require.NoError(t, err)
	for _, key := range []string{"", prefix, prefix + "x/../target", prefix + "target/", prefix + "\xff"} {
		err := s.Delete(t.Context(), []string{prefix + "target", key})
		require.ErrorContains(t, err, "key", "%q", key)
	}
	requireContent(t, s, prefix+"target", []byte("x"), 0)
	require.Error(t, s.Delete(t.Context(), make([]string, objectstore.MaxDelete+1)))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, s.Delete(ctx, []string{prefix + "target"}), context.Canceled)
	requireContent(t, s, prefix+"target", []byte("x"), 0)
}

func deleteMany(t *testing.T, s Store, prefix string) {
	keys := make([]string, objectstore.MaxDelete)
	for i := range keys {
		keys[i] = fmt.Sprintf("%s%04d", prefix, i)
	}
	// Few are there, so that this does not take long; all are named.
	for _, key := range keys[990:] {
		_, err := s.Put(t.Context(), key, []byte("x"), text)
		require.NoError(t, err)
	}
	require.NoError(t, s.Delete(t.Context(), keys))
	for range s.List(t.Context(), prefix) {
		require.Fail(t, "something is left")
	}
}

// deleteThenCreate: what was deleted may be written again, as something new.
func deleteThenCreate(t *testing.T, s Store, prefix string) {
	key := prefix + "again"
	_, err := s.Create(t.Context(), key, []byte("first"), text)
	require.NoError(t, err)
	require.NoError(t, s.Delete(t.Context(), []string{key}))
	_, err = s.Create(t.Context(), key, []byte("second"), text)
	require.NoError(t, err)
	requireContent(t, s, key, []byte("second"), 1)
}
