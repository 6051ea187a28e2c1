package objectstore

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// answer is what a scripted store says to one request.
type answer struct {
	status int
	code   string
	header map[string]string
	body   string
	// cut ends the connection after the body, though more was announced.
	cut bool
	// drop ends the connection without any answer.
	drop bool
}

// request is what a scripted store was asked.
type request struct {
	method, path, query string
	header              http.Header
	trailer             http.Header
	body                string
	length              int64
}

// script is a store that says what a test tells it to, in turn, and the last answer over and over.
type script struct {
	*httptest.Server
	mu      sync.Mutex
	answers []answer
	seen    []request
	// before is called before each answer.
	before func()
}

func newScript(t *testing.T, answers ...answer) *script {
	t.Helper()
	s := &script{answers: answers}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

// newTLSScript is the same over TLS, where the SDK goes other ways with bodies.
func newTLSScript(t *testing.T, answers ...answer) *script {
	t.Helper()
	s := &script{answers: answers}
	s.Server = httptest.NewTLSServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *script) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	s.seen = append(s.seen, request{
		method: r.Method, path: r.URL.Path, query: r.URL.RawQuery, header: r.Header.Clone(), trailer: r.Trailer.Clone(),
		body: string(body), length: r.ContentLength,
	})
	a := s.answers[0]
	if len(s.answers) > 1 {
		s.answers = s.answers[1:]
	}
	s.mu.Unlock()

	if s.before != nil {
		s.before()
	}
	if a.drop {
		panic(http.ErrAbortHandler)
	}
	if a.code != "" && a.body == "" && r.Method != http.MethodHead {
		a.body = fmt.Sprintf("<Error><Code>%s</Code><Message>Sorry.</Message></Error>", a.code)
	}
	for name, value := range a.header {
		w.Header().Set(name, value)
	}
	if a.cut {
		w.Header().Set("Content-Length", strconv.Itoa(len(a.body)+10))
	}
	w.WriteHeader(a.status)
	_, _ = io.WriteString(w, a.body)
}

func (s *script) requests() []request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seen
}

// methods is the sequence of requests, for comparison.
func (s *script) methods() []string {
	var all []string
	for _, r := range s.requests() {
		all = append(all, r.method)
	}
	return all
}

const (
	testKey    = "AKIDEXAMPLE"
	testSecret = "this-secret-must-never-be-seen"
)

func (s *script) store(t *testing.T) *Store {
	t.Helper()
	store, err := Open(t.Context(), Options{
		Endpoint: s.URL, Region: "us-east-1", Bucket: "weir", PathStyle: true, AccessKey: testKey, SecretKey: testSecret,
		HTTPClient: s.Client(),
	})
	require.NoError(t, err)
	return store
}

// checksumOf is a body's SHA-256 as S3 writes it.
func checksumOf(body string) string { return contentOf([]byte(body), "").checksum() }

// digestOf is a body's SHA-256 as weir writes it.
func digestOf(body string) string { return contentOf([]byte(body), "").sha256() }

// asStored is how S3 writes a hex digest.
func asStored(t *testing.T, digest string) string {
	t.Helper()
	raw, err := hex.DecodeString(digest)
	require.NoError(t, err)
	return base64.StdEncoding.EncodeToString(raw)
}
