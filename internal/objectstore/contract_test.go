package objectstore_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/internal/objectstore"
	"github.com/weir-collect/weir/internal/objectstore/storetest"
	"github.com/weir-collect/weir/internal/stack/stacktest"
)

func TestMain(m *testing.M) { stacktest.Main(m) }

// envOther names another S3 service to hold to the contract instead of the embedded one: its endpoint, region, bucket, access
// key and secret key, parted by blanks.
const envOther = "WEIR_OTHER_S3"

func gateway(t testing.TB) storetest.Server {
	t.Helper()
	if other := strings.Fields(os.Getenv(envOther)); len(other) == 5 {
		return storetest.Server{Endpoint: other[0], Region: other[1], Bucket: other[2], AccessKey: other[3], SecretKey: other[4]}
	}
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
