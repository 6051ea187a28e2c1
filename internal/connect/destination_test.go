package connect

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/stack/stacktest"
)

func TestDestinationsOfTheStack(t *testing.T) {
	t.Parallel()
	s := stacktest.Shared(t)
	const wrong = "a-secret-that-is-wrong"
	d := NewDestinations(load(t), secretsOf(map[string]string{"ACCESS": s.AccessKey, "SECRET": s.SecretKey, "WRONG": wrong}))
	to := collection.Destination{
		Endpoint: s.S3, Region: s.Region, Bucket: s.Bucket, PathStyle: true, AccessKey: "env:ACCESS", SecretKey: "env:SECRET",
	}
	store, err := d.Open(t.Context(), to)
	require.NoError(t, err)
	_, err = store.Create(t.Context(), "destination/test", []byte("x"), "text/plain")
	require.NoError(t, err)

	for name, change := range map[string]func(*collection.Destination){
		"wrong key":  func(d *collection.Destination) { d.SecretKey = "env:WRONG" },
		"no bucket":  func(d *collection.Destination) { d.Bucket = "elsewhere" },
		"no secret":  func(d *collection.Destination) { d.SecretKey = "env:NOT_SET" },
		"half a key": func(d *collection.Destination) { d.SecretKey = "" },
	} {
		refused := to
		change(&refused)
		_, err := d.Open(t.Context(), refused)
		require.ErrorIs(t, err, collection.ErrDestinationRefused, name)
		require.NotContains(t, err.Error(), wrong, name)
		require.NotContains(t, err.Error(), s.SecretKey, name)
	}
}

// TestDestinationThatDoesNotAnswer is not one that refuses: it may answer later.
func TestDestinationThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	d := NewDestinations(load(t), secretsOf(map[string]string{"K": "k"}))
	_, err := d.Open(t.Context(), collection.Destination{
		Endpoint: "http://127.0.0.1:1", Region: "r", Bucket: "bucket", AccessKey: "env:K", SecretKey: "env:K",
	})
	require.ErrorContains(t, err, "http://127.0.0.1:1")
	require.NotErrorIs(t, err, collection.ErrDestinationRefused)
}

// TestDestinationKeysAreReadEachTime, beside the configuration file.
func TestDestinationKeysAreReadEachTime(t *testing.T) {
	t.Parallel()
	cfg := load(t)
	d := NewDestinations(cfg, secretsOf(nil))
	to := collection.Destination{Endpoint: "http://127.0.0.1:1", Region: "r", Bucket: "bucket", AccessKey: "file:key", SecretKey: "file:key"}
	_, err := d.Open(t.Context(), to)
	require.ErrorIs(t, err, collection.ErrDestinationRefused)
	require.ErrorContains(t, err, "access_key: secret file:key")
	require.NoError(t, os.WriteFile(filepath.Join(cfg.Path("."), "key"), []byte("k"), 0o600))
	_, err = d.Open(t.Context(), to)
	require.NotErrorIs(t, err, collection.ErrDestinationRefused)
	require.ErrorContains(t, err, "cannot be reached")
}
