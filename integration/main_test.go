package integration

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/integration/harness"
	"github.com/weir-collect/weir/integration/sourcesite"
	"github.com/weir-collect/weir/internal/stack"
	"github.com/weir-collect/weir/internal/stack/stacktest"
	"github.com/weir-collect/weir/starter"
)

func TestMain(m *testing.M) {
	harness.Child()
	stacktest.Main(m)
}

// steady has a fleet bear that the machine stands still for a while, for tests that count requests one by one. With the
// harness' own lease and heartbeat, which are short for drills, a worker that does not get to run for three seconds has lost its
// lease, and a record is rightly requested again.
func steady(o harness.Options) harness.Options {
	o.LeaseTTL, o.HeartbeatTimeout = 15*time.Second, 30*time.Second
	return o
}

// site starts a source site for a test.
func site(t *testing.T, host string) *sourcesite.Site {
	t.Helper()
	s, err := sourcesite.Start(host)
	require.NoError(t, err)
	t.Cleanup(s.Close)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the site at %s: %+v; in flight now: %d", s.URL, s.Ledger(), s.InFlight())
		}
	})
	return s
}

// holdAnswers lets a site take requests and answer none but those for its robots.txt, until release is called.
func holdAnswers(s *sourcesite.Site) (release func()) {
	released := make(chan struct{})
	s.SetAnswer(func(_ http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == "/robots.txt" {
			return false
		}
		select {
		case <-released:
		case <-r.Context().Done():
		}
		return false
	})
	return func() { close(released) }
}

// fleet configures a fleet on the shared stack for a test.
func fleet(t *testing.T, o harness.Options) *harness.Fleet {
	t.Helper()
	return fleetOn(t, stacktest.Shared(t), o)
}

// fleetOn configures a fleet on a stack for a test. If the test fails, it tells what the table of sources says.
func fleetOn(t *testing.T, s *stack.Stack, o harness.Options) *harness.Fleet {
	t.Helper()
	f, err := harness.New(t.Context(), s, o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, f.Close()) })
	onFailure(t, "the table of sources", func(ctx context.Context) (any, error) { return f.Client.Sources(ctx) })
	onFailure(t, "tasks of their owner that failed", func(ctx context.Context) (any, error) { return failedTasks(ctx, f, collection.CeilingsID) })
	return f
}

// failedTasks are the events of a workflow's latest run that tell of tasks that failed or took too long.
func failedTasks(ctx context.Context, f *harness.Fleet, id string) (failed []string, err error) {
	events := f.Engine.GetWorkflowHistory(ctx, id, "", false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for events.HasNext() {
		event, err := events.Next()
		if err != nil {
			return failed, err
		}
		switch event.GetEventType() {
		case enumspb.EVENT_TYPE_WORKFLOW_TASK_FAILED, enumspb.EVENT_TYPE_WORKFLOW_TASK_TIMED_OUT:
			failed = append(failed, event.String())
		}
	}
	return failed, nil
}

// onFailure logs what somebody would ask first who reads of a failure, as it is when the test ends.
func onFailure(t *testing.T, what string, ask func(context.Context) (any, error)) {
	t.Cleanup(func() {
		if !t.Failed() {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		answer, err := ask(ctx)
		text, unwritable := json.Marshal(answer)
		t.Logf("%s: %s %v", what, text, errors.Join(err, unwritable))
	})
}

func startWorker(t *testing.T, f *harness.Fleet) *harness.Worker {
	t.Helper()
	w, err := f.StartWorker()
	// A worker gives up when Temporal has not answered for 8 s, which a busy machine may take; whoever runs it starts it again.
	for tries := 1; err != nil && tries < 3; tries++ {
		t.Log("start the worker again:", err)
		w, err = f.StartWorker()
	}
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
	onFailure(t, "submission "+r.ID, func(ctx context.Context) (any, error) { return f.Client.Status(ctx, r.ID) })
	return submitted.ID
}

func submitCSV(t *testing.T, f *harness.Fleet, content string) string {
	t.Helper()
	return submit(t, f, starter.Request{File: strings.NewReader(content), FileName: "records.csv"})
}

// slower is how much longer a machine may take than the one on which the tests' patience was measured. Patience ends a hang; it
// is no promise.
const slower = 3

// wait follows a submission to its end.
func wait(t *testing.T, f *harness.Fleet, id string, most time.Duration) collection.SubmissionStatus {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), slower*most)
	defer cancel()
	status, err := f.Client.Wait(ctx, id, nil)
	require.NoError(t, err, "submission %s: %+v", id, status)
	return status
}

// until waits for a condition.
func until(t *testing.T, most time.Duration, what string, condition func() bool) {
	t.Helper()
	most *= slower
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
