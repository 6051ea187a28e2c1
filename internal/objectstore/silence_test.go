package objectstore

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
)

// shortSilence is long enough for a machine that has much else to do.
const shortSilence = 300 * time.Millisecond

func impatientStore(t *testing.T, endpoint string) *Store {
	t.Helper()
	store, err := Open(t.Context(), Options{
		Endpoint: endpoint, Region: "us-east-1", Bucket: "weir", PathStyle: true, AccessKey: testKey, SecretKey: testSecret,
		Silence: shortSilence,
	})
	require.NoError(t, err)
	return store
}

// deaf accepts connections, counts them, and never says anything.
func deaf(t *testing.T) (endpoint string, accepted func() int) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	n, ended := 0, make(chan struct{})
	var connections []net.Conn
	go func() {
		defer close(ended)
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			n++
			connections = append(connections, connection)
		}
	}()
	stop := func() int {
		_ = listener.Close()
		<-ended
		for _, c := range connections {
			_ = c.Close()
		}
		return n
	}
	t.Cleanup(func() { stop() })
	return "http://" + listener.Addr().String(), stop
}

// requireSilence: the store's silence has ended the call, and not its caller, who may well try again.
func requireSilence(t *testing.T, ctx context.Context, err error) {
	t.Helper()
	require.NoError(t, ctx.Err(), "the caller has cancelled nothing")
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.NotErrorIs(t, err, context.Canceled)
	requireKind(t, err, nil)
	var conflict *collection.ConflictError
	require.False(t, errors.As(err, &conflict))
	require.ErrorContains(t, err, "the store said nothing for")
	require.ErrorContains(t, err, "bucket weir")
}

// TestSilentStore: a store that accepts every connection and answers nothing ends no call by itself; each of ours ends in time,
// after one request.
func TestSilentStore(t *testing.T) {
	t.Parallel()
	old := collection.ObjectInfo{ETag: `"1"`, SHA256: digestOf("old")}
	for name, call := range map[string]func(ctx context.Context, s *Store) error{
		"Put":    func(ctx context.Context, s *Store) error { _, err := s.Put(ctx, "k", []byte("x"), ""); return err },
		"Create": func(ctx context.Context, s *Store) error { _, err := s.Create(ctx, "k", []byte("x"), ""); return err },
		"Replace": func(ctx context.Context, s *Store) error {
			_, err := s.Replace(ctx, "k", []byte("x"), "", old)
			return err
		},
		"Upload": func(ctx context.Context, s *Store) error {
			_, err := s.Upload(ctx, "k", bytes.NewReader([]byte("x")), 1, "")
			return err
		},
		"Get": func(ctx context.Context, s *Store) error { _, err := s.Get(ctx, "k", 10); return err },
		"GetRange": func(ctx context.Context, s *Store) error {
			_, err := s.GetRange(ctx, collection.ObjectRange{Key: "k", Length: 1})
			return err
		},
		"Open":   func(ctx context.Context, s *Store) error { _, _, err := s.Open(ctx, "k"); return err },
		"Head":   func(ctx context.Context, s *Store) error { _, err := s.Head(ctx, "k"); return err },
		"Delete": func(ctx context.Context, s *Store) error { return s.Delete(ctx, []string{"k"}) },
		"List": func(ctx context.Context, s *Store) error {
			for _, err := range s.List(ctx, "p") {
				return err
			}
			return nil
		},
		"Expiries": func(ctx context.Context, s *Store) error { _, _, err := s.Expiries(ctx); return err },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			endpoint, accepted := deaf(t)
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			requireSilence(t, ctx, call(ctx, impatientStore(t, endpoint)))
			require.Equal(t, 1, accepted(), "it is not asked again and again while its caller waits")
		})
	}
}

// TestSilenceInABody: an answer that begins and does not go on is covered like one that never comes.
func TestSilenceInABody(t *testing.T) {
	t.Parallel()
	ended := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "10")
		_, _ = io.WriteString(w, "half")
		_ = http.NewResponseController(w).Flush()
		<-ended
	}))
	t.Cleanup(func() { close(ended); server.Close() })
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	store := impatientStore(t, server.URL)
	_, err := store.Get(ctx, "k", 100)
	requireSilence(t, ctx, err)

	stream, _, err := store.Open(ctx, "k")
	require.NoError(t, err)
	t.Cleanup(func() { _ = stream.Close() })
	head := make([]byte, 4)
	_, err = io.ReadFull(stream, head)
	require.NoError(t, err)
	require.Equal(t, "half", string(head))
	_, err = stream.Read(head)
	requireSilence(t, ctx, err)
}

// TestSlowIsNotSilent: neither a store that takes a body piece by piece, nor one that gives it so, nor a reader that pauses, is
// cut, though each of them takes longer than silence may last.
func TestSlowIsNotSilent(t *testing.T) {
	t.Parallel()
	const pieces = 6
	piece := bytes.Repeat([]byte("x"), 1<<20)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for range pieces {
			if r.Method == http.MethodPut {
				_, _ = io.ReadFull(r.Body, piece)
			} else {
				_, _ = w.Write(piece[:10])
				_ = http.NewResponseController(w).Flush()
			}
			time.Sleep(shortSilence / 4)
		}
	}))
	t.Cleanup(server.Close)
	store := impatientStore(t, server.URL)
	started := time.Now()
	_, err := store.Put(t.Context(), "k", bytes.Repeat(piece, pieces), "")
	require.NoError(t, err)
	require.Greater(t, time.Since(started), shortSilence)

	stream, _, err := store.Open(t.Context(), "k")
	require.NoError(t, err)
	defer stream.Close()
	head := make([]byte, 10)
	_, err = io.ReadFull(stream, head)
	require.NoError(t, err)
	time.Sleep(2 * shortSilence)
	rest, err := io.ReadAll(stream)
	require.NoError(t, err)
	require.Len(t, rest, (pieces-1)*10)
}

// slowNetwork takes the whole of an upload at once into its buffers, and answers when a slow line would have carried it.
type slowNetwork struct{ takes time.Duration }

func (n slowNetwork) Do(r *http.Request) (*http.Response, error) {
	_, _ = io.Copy(io.Discard, r.Body)
	select {
	case <-time.After(n.takes):
		return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody}, nil
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
}

// TestUploadInTheNetworksBuffers: what the network has taken is not at the store yet.
func TestUploadInTheNetworksBuffers(t *testing.T) {
	t.Parallel()
	for size, cut := range map[int64]bool{1 << 10: true, 128 << 10: false} {
		client := impatient{client: slowNetwork{takes: 800 * time.Millisecond}, limit: 100 * time.Millisecond}
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPut, "http://store.example/k", bytes.NewReader(make([]byte, size)))
		require.NoError(t, err)
		response, err := client.Do(request)
		require.Equal(t, cut, err != nil, "%d bytes: %v", size, err)
		if cut {
			require.ErrorIs(t, err, context.DeadlineExceeded)
			continue
		}
		require.NoError(t, response.Body.Close())
	}
}

// TestCallerEndsACall: a caller's own end stays its own, however little the store says.
func TestCallerEndsACall(t *testing.T) {
	t.Parallel()
	endpoint, _ := deaf(t)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(shortSilence/6, cancel)
	_, err := impatientStore(t, endpoint).Get(ctx, "k", 10)
	require.ErrorIs(t, err, context.Canceled)
	require.NotErrorIs(t, err, context.DeadlineExceeded)
}

func TestSilenceOption(t *testing.T) {
	t.Parallel()
	require.Equal(t, time.Minute, Options{}.silence())
	_, err := Open(t.Context(), Options{Bucket: "weir", AccessKey: "a", SecretKey: "b", Silence: -time.Second})
	require.ErrorContains(t, err, "silence is -1s")
}
