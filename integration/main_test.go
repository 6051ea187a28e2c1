package integration

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/integration/harness"
	"github.com/weir-collect/weir/integration/sourcesite"
	"github.com/weir-collect/weir/internal/stack/stacktest"
	"github.com/weir-collect/weir/starter"
)

func TestMain(m *testing.M) {
	harness.Child()
	stacktest.Main(m)
}

// site starts a source site for a test.
func site(t *testing.T, host string) *sourcesite.Site {
	t.Helper()
	s, err := sourcesite.Start(host)
	require.NoError(t, err)
	t.Cleanup(s.Close)
	return s
}

// fleet configures a fleet on the shared stack for a test.
func fleet(t *testing.T, o harness.Options) *harness.Fleet {
	t.Helper()
	f, err := harness.New(t.Context(), stacktest.Shared(t), o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, f.Close()) })
	return f
}

func startWorker(t *testing.T, f *harness.Fleet) *harness.Worker {
	t.Helper()
	w, err := f.StartWorker()
	require.NoError(t, err)
	return w
}

// id is a submission id of the test's own.
func id(t *testing.T) string {
	name := strings.NewReplacer("/", "-", " ", "-").Replace(t.Name())
	return fmt.Sprintf("%s-%d", name, time.Now().UnixNano())
}

// pages is a CSV file of n pages of some sites, in turn.
func pages(n int, sites ...*sourcesite.Site) string {
	var b strings.Builder
	b.WriteString("url\n")
	for i := range n {
		fmt.Fprintf(&b, "%s/page/%d\n", sites[i%len(sites)].URL, i)
	}
	return b.String()
}

func submit(t *testing.T, f *harness.Fleet, r starter.Request) string {
	t.Helper()
	if r.Customer == "" {
		r.Customer = "acme"
	}
	if r.ID == "" {
		r.ID = id(t)
	}
	submitted, err := f.Client.Submit(t.Context(), r)
	require.NoError(t, err)
	require.Equal(t, r.ID, submitted.ID)
	return submitted.ID
}

func submitCSV(t *testing.T, f *harness.Fleet, content string) string {
	t.Helper()
	return submit(t, f, starter.Request{File: strings.NewReader(content), FileName: "records.csv"})
}

// wait follows a submission to its end.
func wait(t *testing.T, f *harness.Fleet, id string, most time.Duration) collection.SubmissionStatus {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), most)
	defer cancel()
	status, err := f.Client.Wait(ctx, id, nil)
	require.NoError(t, err, "submission %s: %+v", id, status)
	return status
}

// until waits for a condition.
func until(t *testing.T, most time.Duration, what string, condition func() bool) {
	t.Helper()
	deadline := time.Now().Add(most)
	for !condition() {
		require.True(t, time.Now().Before(deadline), "not within %s: %s", most, what)
		time.Sleep(100 * time.Millisecond)
	}
}

// sha256Of fetches a link as a customer would, and returns the digest of what came.
func sha256Of(t *testing.T, url string) string {
	t.Helper()
	response, err := http.Get(url)
	require.NoError(t, err)
	defer response.Body.Close()
	require.Equal(t, http.StatusOK, response.StatusCode)
	sum := sha256.New()
	_, err = io.Copy(sum, response.Body)
	require.NoError(t, err)
	return hex.EncodeToString(sum.Sum(nil))
}
