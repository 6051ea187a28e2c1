package fetch

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/failure"
)

// sized is a site that answers with bodies of a size.
func sized(t *testing.T, n int) collection.Source {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write(bytes.Repeat([]byte("x"), n))
	}))
	t.Cleanup(server.Close)
	return collection.Source{
		Name: "a", Hosts: []string{"127.0.0.1"}, AllowPrivateAddresses: true, MaxBody: 4 << 20, Timeout: time.Minute,
		Request: collection.Request{URL: server.URL + "/"},
	}
}

// TestRoomForLargeBodies: room is asked for once, with the most that the body may come to, and only by bodies that are large.
func TestRoomForLargeBodies(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		size  int
		asked []int64
	}{
		{0, nil},
		{collection.SmallBody - 1, nil},
		{collection.SmallBody, []int64{4 << 20}},
		{3 << 20, []int64{4 << 20}},
		{4 << 20, []int64{4 << 20}},
	} {
		client := New(Options{})
		var asked []int64
		res, seen := client.Fetch(t.Context(), sized(t, c.size), collection.Record{}, collection.Via{
			Room: func(_ context.Context, n int64) error {
				asked = append(asked, n)
				return nil
			},
		})
		require.NotNil(t, res, seen.Message)
		require.Len(t, res.Body, c.size)
		require.Equal(t, c.asked, asked, "%d bytes", c.size)
		client.Close()
	}
}

// TestWaitingForRoom: waiting for room is not the target's time.
func TestWaitingForRoom(t *testing.T) {
	t.Parallel()
	client := New(Options{})
	defer client.Close()
	src := sized(t, 2<<20)
	src.Timeout = 5 * time.Second
	res, seen := client.Fetch(t.Context(), src, collection.Record{}, collection.Via{
		Room: func(context.Context, int64) error {
			time.Sleep(src.Timeout + time.Second)
			return nil
		},
	})
	require.NotNil(t, res, seen.Message)
	require.Len(t, res.Body, 2<<20)
}

// TestNoRoom: without room the fetch ends as one that our own side broke off, and a body beyond the limit is too large with
// room or without.
func TestNoRoom(t *testing.T) {
	t.Parallel()
	client := New(Options{})
	defer client.Close()
	_, seen := client.Fetch(t.Context(), sized(t, 2<<20), collection.Record{}, collection.Via{
		Room: func(context.Context, int64) error { return errors.New("stopping") },
	})
	require.Equal(t, failure.TransportCancelled, seen.Transport)
	require.Equal(t, collection.ReasonLeaseLost, failure.Classify(seen))
	require.Contains(t, seen.Message, "room for a large body")

	small := sized(t, 2<<20)
	small.MaxBody = 1 << 10
	_, seen = client.Fetch(t.Context(), small, collection.Record{}, collection.Via{
		Room: func(context.Context, int64) error { return errors.New("must not be asked") },
	})
	require.Equal(t, collection.ReasonTooLarge, failure.Classify(seen))
}

// TestClip: where the beginning is enough, a body beyond the limit is cut there.
func TestClip(t *testing.T) {
	t.Parallel()
	client := New(Options{})
	defer client.Close()
	src := sized(t, 3<<20)
	src.MaxBody = 64 << 10
	res, seen := client.Fetch(t.Context(), src, collection.Record{}, collection.Via{Clip: true})
	require.NotNil(t, res, seen.Message)
	require.Len(t, res.Body, 64<<10)
	_, seen = client.Fetch(t.Context(), src, collection.Record{}, collection.Via{})
	require.Equal(t, collection.ReasonTooLarge, failure.Classify(seen))
}

// TestContentTypeIsBounded: what a target says of its bytes goes into histories.
func TestContentTypeIsBounded(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; x="+strings.Repeat("y", 100_000))
		_, _ = w.Write([]byte("x"))
	}))
	defer server.Close()
	client := New(Options{})
	defer client.Close()
	src := sized(t, 1)
	src.Request.URL = server.URL + "/"
	res, seen := client.Fetch(t.Context(), src, collection.Record{}, collection.Via{})
	require.NotNil(t, res, seen.Message)
	require.LessOrEqual(t, len(res.ContentType), maxContentType)
	require.True(t, strings.HasPrefix(res.ContentType, "text/html; x="))
}
