package stacktest_test

import (
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/internal/stack"
	"github.com/weir-collect/weir/internal/stack/stacktest"
)

func TestMain(m *testing.M) { stacktest.Main(m) }

func requireAnswers(t *testing.T, address string) {
	t.Helper()
	conn, err := net.DialTimeout("tcp", strings.TrimPrefix(address, "http://"), 5*time.Second)
	require.NoError(t, err)
	require.NoError(t, conn.Close())
}

func TestSharedIsOne(t *testing.T) {
	s := stacktest.Shared(t)
	requireAnswers(t, s.Temporal)
	requireAnswers(t, s.S3)
	require.Empty(t, s.Web)
	require.Same(t, s, stacktest.Shared(t))
}

func TestNewIsPrivate(t *testing.T) {
	shared := stacktest.Shared(t)
	s := stacktest.New(t, func(o *stack.Options) { o.NoWeb, o.Bucket = false, "other" })
	requireAnswers(t, s.Temporal)
	requireAnswers(t, s.Web)
	require.Equal(t, "other", s.Bucket)
	require.NotEqual(t, shared.Temporal, s.Temporal)
	require.NotEqual(t, shared.PID, s.PID)

	s.Kill()
	require.NoError(t, s.Restart(t.Context()))
	requireAnswers(t, s.Temporal)
	requireAnswers(t, s.S3)
	requireAnswers(t, shared.Temporal)
}

func TestNewStopsWithItsTest(t *testing.T) {
	var s *stack.Stack
	t.Run("inner", func(t *testing.T) { s = stacktest.New(t) })
	if s == nil {
		t.Skip("needs the embedded stack, which -short leaves out")
	}
	select {
	case <-s.Done():
	default:
		t.Fatal("the stack still runs")
	}
	require.NoError(t, s.Err())
	_, err := os.Stat(s.Data)
	require.ErrorIs(t, err, os.ErrNotExist, "its folder goes with it")
}

func TestFolderInUseIsRefused(t *testing.T) {
	s := stacktest.Shared(t)
	_, err := stack.Start(t.Context(), stack.Options{Binary: os.Getenv(stacktest.EnvBinary), Data: s.Data})
	require.ErrorContains(t, err, "in use")
	require.ErrorContains(t, err, s.Data)
	require.NotContains(t, err.Error(), "\n")
	t.Log(err)
}
