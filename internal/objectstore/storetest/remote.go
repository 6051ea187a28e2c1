package storetest

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
)

// Server says where a store is and how to sign for it.
type Server struct {
	Endpoint, Region, Bucket string
	AccessKey, SecretKey     string
}

// Dial opens a store at a server. It must not fail because the server does.
type Dial func(t testing.TB, at Server) RemoteStore

// RunRemote holds a store to what only a network can put to the test. The server is a real one; faults are put in front
// of it. It waits for real timeouts, and takes some 15 s.
func RunRemote(t *testing.T, server Server, dial Dial) {
	t.Helper()
	for name, run := range map[string]func(*testing.T, Server, Dial){
		"LostAnswerToCreate":  lostAnswerToCreate,
		"LostAnswerToReplace": lostAnswerToReplace,
		"LostAnswersForGood":  lostAnswersForGood,
		"Link":                link,
		"LinkExpires":         linkExpires,
		"LinkLife":            linkLife,
		"CheckPasses":         checkPasses,
		"WrongCredentials":    wrongCredentials,
		"MissingBucket":       missingBucket,
		"NobodyListens":       nobodyListens,
		"NobodyAnswers":       nobodyAnswers,
		"BrokenServer":        brokenServer,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run(t, server, dial)
		})
	}
}

// behind gives the server as seen through a proxy.
func behind(t *testing.T, server Server) (*proxy, Server) {
	t.Helper()
	p := newProxy(t, server.Endpoint)
	server.Endpoint = p.URL
	return p, server
}

func lostAnswerToCreate(t *testing.T, server Server, dial Dial) {
	p, lossy := behind(t, server)
	s, key, body := dial(t, lossy), freshPrefix()+"once", []byte("written, but nobody knows")
	p.loseNext(1)
	info, err := s.Create(t.Context(), key, body, text)
	require.NoError(t, err)
	require.Equal(t, int32(1), p.lost.Load())
	requireWritten(t, info, key, body, 1)
	requireContent(t, s, key, body, 1)

	p.loseNext(1)
	other := []byte("and another content")
	_, err = s.Create(t.Context(), key, other, text)
	requireConflict(t, err, key, body, other)
	requireContent(t, s, key, body, 1)
}

func lostAnswerToReplace(t *testing.T, server Server, dial Dial) {
	p, lossy := behind(t, server)
	s, key, body := dial(t, lossy), freshPrefix()+"twice", []byte("second")
	first, err := s.Create(t.Context(), key, []byte("first"), text)
	require.NoError(t, err)
	p.loseNext(1)
	info, err := s.Replace(t.Context(), key, body, text, first)
	require.NoError(t, err)
	require.Equal(t, int32(1), p.lost.Load())
	requireWritten(t, info, key, body, 2)
	requireContent(t, s, key, body, 2)
}

func lostAnswersForGood(t *testing.T, server Server, dial Dial) {
	p, lossy := behind(t, server)
	s, prefix := dial(t, lossy), freshPrefix()
	once, body := prefix+"once", []byte("written all the same")
	p.loseNext(1_000)
	info, err := s.Create(t.Context(), once, body, text)
	require.NoError(t, err, "what is there tells what the answers did not")
	require.Positive(t, p.lost.Load())
	requireWritten(t, info, once, body, 1)
	next := []byte("and its second generation")
	info, err = s.Replace(t.Context(), once, next, text, info)
	require.NoError(t, err)
	requireWritten(t, info, once, next, 2)
	_, err = s.Create(t.Context(), once, body, text)
	requireConflict(t, err, once, next, body)

	_, err = s.Put(t.Context(), prefix+"any", body, text)
	requireRetryable(t, err, prefix+"any", lossy.Endpoint)
	p.loseNext(0)
	_, err = s.Put(t.Context(), prefix+"any", body, text)
	require.NoError(t, err)
	requireContent(t, s, once, next, 2)
	requireContent(t, s, prefix+"any", body, 0)
}

// fetch gets a link as a browser would.
func fetch(t *testing.T, link string) (int, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, link, nil)
	require.NoError(t, err)
	request.Header.Set("User-Agent", "a plain browser")
	request.Header.Set("Accept-Language", "en")
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response.StatusCode, string(body)
}

func link(t *testing.T, server Server, dial Dial) {
	s, prefix := dial(t, server), freshPrefix()
	for _, name := range append(oddNames(), "plain.json") {
		key := prefix + name
		_, err := s.Create(t.Context(), key, []byte("content of "+name), text)
		require.NoError(t, err)
		made, err := s.PresignGet(t.Context(), key, time.Hour)
		require.NoError(t, err)
		require.WithinDuration(t, time.Now().Add(time.Hour), made.ExpiresAt, time.Minute)
		require.False(t, made.Capped)
		status, body := fetch(t, made.URL)
		require.Equal(t, http.StatusOK, status, "key %q: %s", key, body)
		require.Equal(t, "content of "+name, body)
	}
	made, err := s.PresignGet(t.Context(), prefix+"nothing", time.Hour)
	require.NoError(t, err)
	status, _ := fetch(t, made.URL)
	require.Equal(t, http.StatusNotFound, status)
}

func linkExpires(t *testing.T, server Server, dial Dial) {
	s, key := dial(t, server), freshPrefix()+"brief"
	_, err := s.Create(t.Context(), key, []byte("for a moment"), text)
	require.NoError(t, err)
	made, err := s.PresignGet(t.Context(), key, time.Second)
	require.NoError(t, err)
	// Signatures know whole seconds, and a store may round in favour of the holder.
	time.Sleep(time.Until(made.ExpiresAt) + 2*time.Second)
	status, _ := fetch(t, made.URL)
	require.Equal(t, http.StatusForbidden, status)
}

func linkLife(t *testing.T, server Server, dial Dial) {
	s, key := dial(t, server), freshPrefix()+"any"
	const week = 7 * 24 * time.Hour
	for _, life := range []time.Duration{time.Second, 1500 * time.Millisecond, time.Hour, week} {
		made, err := s.PresignGet(t.Context(), key, life)
		require.NoError(t, err, life)
		require.WithinDuration(t, time.Now().Add(life), made.ExpiresAt, time.Minute)
	}
	for _, life := range []time.Duration{-time.Second, 0, time.Second - 1, week + 1, 609_901 * time.Second} {
		_, err := s.PresignGet(t.Context(), key, life)
		require.ErrorContains(t, err, key, life)
		require.ErrorContains(t, err, "7 days", life)
	}
	_, err := s.PresignGet(t.Context(), key+"/../other", time.Hour)
	require.ErrorContains(t, err, key+"/../other")
}

func checkPasses(t *testing.T, server Server, dial Dial) {
	require.NoError(t, dial(t, server).Check(t.Context()))
}

func wrongCredentials(t *testing.T, server Server, dial Dial) {
	const wrongSecret = "a-secret-that-nobody-must-see"
	wrong := server
	wrong.SecretKey = wrongSecret
	unknown := wrong
	unknown.AccessKey = "nobody"
	for name, at := range map[string]Server{"secret": wrong, "key": unknown} {
		s, key := dial(t, at), freshPrefix()+"denied"
		_, created := s.Create(t.Context(), key, []byte("x"), text)
		_, put := s.Put(t.Context(), key, []byte("x"), text)
		_, got := s.Get(t.Context(), key, plain)
		_, asked := s.Head(t.Context(), key)
		var listing error
		for _, err := range s.List(t.Context(), key) {
			listing = err
		}
		for _, err := range []error{created, put, got, asked, listing} {
			require.ErrorIs(t, err, collection.ErrStoreDenied, name)
			require.NotErrorIs(t, err, collection.ErrObjectMissing, name)
			require.ErrorContains(t, err, key, name)
			require.ErrorContains(t, err, at.Endpoint, name)
			requireNoSecret(t, err, wrongSecret)
		}
		err := s.Check(t.Context())
		require.ErrorIs(t, err, collection.ErrStoreDenied, name)
		requireAdvice(t, err, at, "credentials")
		requireNoSecret(t, err, wrongSecret)
	}
}

func requireNoSecret(t *testing.T, err error, secret string) {
	t.Helper()
	require.NotContains(t, err.Error(), secret)
	require.NotContains(t, err.Error(), "Signature=")
	require.NotContains(t, err.Error(), "Credential=")
}

// requireAdvice says that a failed check names where it looked and what is wrong.
func requireAdvice(t *testing.T, err error, at Server, words ...string) {
	t.Helper()
	for _, word := range append(words, at.Endpoint, at.Bucket) {
		require.ErrorContains(t, err, word)
	}
	require.NotContains(t, err.Error(), "\n")
}

func missingBucket(t *testing.T, server Server, dial Dial) {
	server.Bucket = "no-such-bucket"
	s, key := dial(t, server), freshPrefix()+"nowhere"
	err := s.Check(t.Context())
	requireAdvice(t, err, server, "has no bucket", "create it")
	require.NotErrorIs(t, err, collection.ErrStoreDenied)

	_, put := s.Put(t.Context(), key, []byte("x"), text)
	_, got := s.Get(t.Context(), key, plain)
	for _, err := range []error{put, got} {
		require.ErrorContains(t, err, server.Bucket)
		require.NotErrorIs(t, err, collection.ErrObjectMissing, "no object is missing: the bucket is")
		require.NotErrorIs(t, err, collection.ErrStoreDenied)
	}
}

// requireRetryable says that an error may pass with a later attempt.
func requireRetryable(t *testing.T, err error, words ...string) {
	t.Helper()
	require.Error(t, err)
	require.NotErrorIs(t, err, collection.ErrObjectMissing)
	require.NotErrorIs(t, err, collection.ErrStoreDenied)
	for _, word := range words {
		require.ErrorContains(t, err, word)
	}
}

func nobodyListens(t *testing.T, server Server, dial Dial) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	server.Endpoint = "http://" + listener.Addr().String()
	require.NoError(t, listener.Close())
	s, key := dial(t, server), freshPrefix()+"unreachable"

	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	_, created := s.Create(ctx, key, []byte("x"), text)
	requireRetryable(t, created, key, server.Endpoint, "refused")
	err = s.Check(ctx)
	requireRetryable(t, err)
	requireAdvice(t, err, server, "cannot be reached", "refused")
	require.NoError(t, ctx.Err(), "both must have given up by themselves, within 10 s")
}

// nobodyAnswers takes a server that accepts every connection and then says nothing.
func nobodyAnswers(t *testing.T, server Server, dial Dial) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	server.Endpoint = "http://" + listener.Addr().String()
	s := dial(t, server)

	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Second)
	defer cancel()
	err = s.Check(ctx)
	require.NoError(t, ctx.Err(), "Check must have given up by itself, after 10 s")
	requireRetryable(t, err)
	requireAdvice(t, err, server, "cannot be reached")

	brief, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err = s.Get(brief, "any/key", plain)
	requireRetryable(t, err, "any/key", server.Endpoint)
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

func brokenServer(t *testing.T, server Server, dial Dial) {
	broken := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	t.Cleanup(broken.Close)
	server.Endpoint = broken.URL
	s, key := dial(t, server), freshPrefix()+"broken"
	_, err := s.Create(t.Context(), key, []byte("x"), text)
	requireRetryable(t, err, key, server.Endpoint, "503")
	err = s.Check(t.Context())
	requireRetryable(t, err)
	requireAdvice(t, err, server, "503")
}
