package storetest

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
)

// check is one clause of the contract. It keeps to keys under its prefix.
type check struct {
	name string
	run  func(t *testing.T, s Store, prefix string)
}

// Run holds a store to the contract. open gives a store whose objects every other one that it gives sees as well, or an
// empty one each time; the suite keeps to fresh prefixes and removes nothing.
func Run(t *testing.T, open func(t testing.TB) Store) {
	t.Helper()
	checks := slices.Concat(writeChecks(), readChecks(), deleteChecks())
	for _, c := range checks {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.run(t, open(t), freshPrefix())
		})
	}
}

func freshPrefix() string { return "storetest/" + rand.Text() + "/" }

func digest(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}

const (
	text  = "text/plain"
	plain = 1 << 20 // a limit for Get where the limit is not the point
)

// requireContent says that an object is there, with this content and this generation.
func requireContent(t *testing.T, s Store, key string, body []byte, generation int) collection.ObjectInfo {
	t.Helper()
	got, err := s.Get(t.Context(), key, int64(len(body)))
	require.NoError(t, err)
	require.Equal(t, digest(body), digest(got), "content of %s", key)
	info, err := s.Head(t.Context(), key)
	require.NoError(t, err)
	require.Equal(t, key, info.Key)
	require.Equal(t, int64(len(body)), info.Size)
	require.Equal(t, digest(body), info.SHA256)
	require.NotEmpty(t, info.ETag)
	require.Equal(t, generation, info.Generation)
	require.False(t, info.LastModified.IsZero())
	return info
}

// requireWritten says that a write answered with the truth.
func requireWritten(t *testing.T, info collection.ObjectInfo, key string, body []byte, generation int) {
	t.Helper()
	require.Equal(t, key, info.Key)
	require.Equal(t, int64(len(body)), info.Size)
	require.Equal(t, digest(body), info.SHA256)
	require.NotEmpty(t, info.ETag)
	require.Equal(t, generation, info.Generation)
}

// requireConflict says that an error is a conflict between what is there and what was to be written.
func requireConflict(t *testing.T, err error, key string, there, ours []byte) {
	t.Helper()
	var conflict *collection.ConflictError
	require.ErrorAs(t, err, &conflict)
	require.Equal(t, key, conflict.Existing.Key)
	require.Equal(t, int64(len(there)), conflict.Existing.Size)
	require.Equal(t, digest(there), conflict.Existing.SHA256)
	require.NotEmpty(t, conflict.Existing.ETag)
	require.Equal(t, digest(ours), conflict.SHA256)
}
