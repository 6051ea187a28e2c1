package objectstore_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/internal/objectstore"
	"github.com/weir-collect/weir/internal/objectstore/storetest"
	"github.com/weir-collect/weir/internal/stack/stacktest"
)

func TestMain(m *testing.M) { stacktest.Main(m) }

func gateway(t testing.TB) storetest.Server {
	t.Helper()
	s := stacktest.Shared(t)
	return storetest.Server{
		Endpoint: s.S3, Region: s.Region, Bucket: s.Bucket, AccessKey: s.AccessKey, SecretKey: s.SecretKey,
	}
}

func dial(t testing.TB, at storetest.Server) storetest.RemoteStore {
	t.Helper()
	store, err := objectstore.Open(t.Context(), objectstore.Options{
		Endpoint: at.Endpoint, Region: at.Region, Bucket: at.Bucket, PathStyle: true,
		AccessKey: at.AccessKey, SecretKey: at.SecretKey,
	})
	require.NoError(t, err)
	return store
}

func TestContract(t *testing.T) {
	t.Parallel()
	server := gateway(t)
	storetest.Run(t, func(t testing.TB) storetest.Store { return dial(t, server) })
}

func TestRemoteContract(t *testing.T) {
	t.Parallel()
	storetest.RunRemote(t, gateway(t), dial)
}
