package objectstore

import (
	"encoding/xml"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
)

// ruleBook is a store of which only lifecycle rules work, as AWS answers.
type ruleBook struct {
	mu   sync.Mutex
	body string
	// after replaces the rules behind the back of who has written them.
	after string
}

func (b *ruleBook) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch r.Method {
	case http.MethodGet:
		if b.body == "" {
			w.WriteHeader(http.StatusNotFound)
			_, _ = io.WriteString(w, "<Error><Code>NoSuchLifecycleConfiguration</Code></Error>")
			return
		}
		_, _ = io.WriteString(w, b.body)
	case http.MethodPut:
		body, _ := io.ReadAll(r.Body)
		b.body = string(body)
		if b.after != "" {
			b.body = b.after
		}
	case http.MethodDelete:
		b.body = ""
		w.WriteHeader(http.StatusNoContent)
	}
}

func (b *ruleBook) store(t *testing.T) *Store {
	t.Helper()
	server := httptest.NewServer(b)
	t.Cleanup(server.Close)
	store, err := Open(t.Context(), Options{
		Endpoint: server.URL, Region: "us-east-1", Bucket: "weir", PathStyle: true, AccessKey: testKey, SecretKey: testSecret, HTTPClient: server.Client(),
	})
	require.NoError(t, err)
	return store
}

const foreignRule = `<Rule><ID>glacier</ID><Status>Enabled</Status><Filter><Prefix>archive/</Prefix></Filter>` +
	`<Transition><Days>30</Days><StorageClass>GLACIER</StorageClass></Transition></Rule>`

func TestSetExpiriesKeepsForeignRules(t *testing.T) {
	t.Parallel()
	book := &ruleBook{body: "<LifecycleConfiguration>" + foreignRule + "</LifecycleConfiguration>"}
	s := book.store(t)
	raw := Expiry{Name: "retention-raw", Prefix: "raw/", Days: 7}
	plans := Expiry{Name: "retention-plans", Prefix: "plans/", Days: 100}
	for _, want := range [][]Expiry{{raw, plans}, {raw}, {plans}, {}} {
		require.NoError(t, s.SetExpiries(t.Context(), want))
		ours, foreign, err := s.Expiries(t.Context())
		require.NoError(t, err)
		require.ElementsMatch(t, want, ours)
		require.Equal(t, 1, foreign)
		require.Contains(t, book.body, "<StorageClass>GLACIER</StorageClass>", "to the letter")
		require.NoError(t, xml.Unmarshal([]byte(book.body), new(struct{ XMLName xml.Name })))
	}
}

func TestSetExpiriesWithoutAnyRule(t *testing.T) {
	t.Parallel()
	book := &ruleBook{}
	s := book.store(t)
	ours, foreign, err := s.Expiries(t.Context())
	require.NoError(t, err)
	require.Empty(t, ours)
	require.Zero(t, foreign)
	require.NoError(t, s.SetExpiries(t.Context(), []Expiry{{Name: "retention-raw", Prefix: "raw/", Days: 7}}))
	require.Contains(t, book.body, "<ID>weir-retention-raw</ID>")
	require.NoError(t, s.SetExpiries(t.Context(), nil))
	require.Empty(t, book.body, "a configuration without rules is none")
}

// TestSetExpiriesNoticesACrossingWrite: S3 cannot refuse it, so that it is looked for afterwards.
func TestSetExpiriesNoticesACrossingWrite(t *testing.T) {
	t.Parallel()
	book := &ruleBook{after: "<LifecycleConfiguration>" + foreignRule + "</LifecycleConfiguration>"}
	err := book.store(t).SetExpiries(t.Context(), []Expiry{{Name: "retention-raw", Prefix: "raw/", Days: 7}})
	require.ErrorContains(t, err, "somebody else writes them as well")
}

func TestStoreWithoutLifecycle(t *testing.T) {
	t.Parallel()
	s := newScript(t, answer{status: http.StatusNotImplemented, code: "NotImplemented"}).store(t)
	_, _, err := s.Expiries(t.Context())
	require.ErrorIs(t, err, ErrNoLifecycle)
	require.ErrorIs(t, s.SetExpiries(t.Context(), nil), ErrNoLifecycle)
	s = newScript(t, answer{status: http.StatusForbidden, code: "AccessDenied"}).store(t)
	_, _, err = s.Expiries(t.Context())
	require.ErrorIs(t, err, collection.ErrStoreDenied)
	require.NotErrorIs(t, err, ErrNoLifecycle)
}

// TestDeleteNamesWhatStays: one object that cannot be deleted keeps no other.
func TestDeleteNamesWhatStays(t *testing.T) {
	t.Parallel()
	script := newScript(t, answer{status: http.StatusOK, body: "<DeleteResult>" +
		"<Error><Key>a/locked</Key><Code>AccessDenied</Code><Message>Object lock</Message></Error>" +
		"<Error><Key>a/gone</Key><Code>NoSuchKey</Code></Error></DeleteResult>"})
	err := script.store(t).Delete(t.Context(), []string{"a/locked", "a/gone", "a/fine"})
	var failed *collection.DeleteError
	require.ErrorAs(t, err, &failed)
	require.Equal(t, []collection.KeyFailure{{Key: "a/locked", Reason: "AccessDenied: Object lock"}}, failed.Failed)
	sent := script.requests()
	require.Len(t, sent, 1, "one request for all")
	require.Equal(t, 3, strings.Count(sent[0].body, "<Key>"))

	err = newScript(t, answer{status: http.StatusForbidden, code: "AccessDenied"}).store(t).Delete(t.Context(), []string{"a/b"})
	require.ErrorIs(t, err, collection.ErrStoreDenied)
	require.ErrorContains(t, err, "a/b")
}
