package connect

import (
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/stack/stacktest"
)

func TestStoreOfTheStack(t *testing.T) {
	t.Parallel()
	s := stacktest.Shared(t)
	keys := map[string]string{"ACCESS": s.AccessKey, "SECRET": s.SecretKey}
	store, err := Store(t.Context(), load(t, s3Section(s.S3, s.Bucket)), secretsOf(keys))
	require.NoError(t, err)
	_, err = store.Put(t.Context(), "connect/test", []byte("x"), "text/plain")
	require.NoError(t, err)

	missing, err := Store(t.Context(), load(t, s3Section(s.S3, "elsewhere")), secretsOf(keys))
	require.ErrorContains(t, err, "elsewhere")
	require.ErrorContains(t, err, s.S3)
	require.Nil(t, missing)

	const wrong = "a-secret-that-is-wrong"
	for name, keys := range map[string]map[string]string{
		"secret key": {"ACCESS": s.AccessKey, "SECRET": wrong},
		"access key": {"ACCESS": "somebody", "SECRET": s.SecretKey},
	} {
		_, err = Store(t.Context(), load(t, s3Section(s.S3, s.Bucket)), secretsOf(keys))
		require.ErrorIs(t, err, collection.ErrStoreDenied, name)
		require.ErrorContains(t, err, s.S3, name)
		require.NotContains(t, err.Error(), wrong)
		require.NotContains(t, err.Error(), s.SecretKey)
	}
}

func TestStoreThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	keys := map[string]string{"ACCESS": "a", "SECRET": "b"}
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { silent.Close() })
	for name, address := range map[string]string{"nothing listens": "127.0.0.1:1", "it listens and is silent": silent.Addr().String()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			start := time.Now()
			_, err := Store(t.Context(), load(t, s3Section("http://"+address, "weir")), secretsOf(keys))
			require.ErrorContains(t, err, address)
			require.Less(t, time.Since(start), time.Minute)
		})
	}
}

func TestStoreWithoutItsSecrets(t *testing.T) {
	t.Parallel()
	_, err := Store(t.Context(), load(t), secretsOf(nil))
	require.ErrorContains(t, err, "s3.access_key")
	require.ErrorContains(t, err, "env:ACCESS")
	_, err = Store(t.Context(), load(t), secretsOf(map[string]string{"ACCESS": "a"}))
	require.ErrorContains(t, err, "s3.secret_key")
}
