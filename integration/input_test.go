package integration

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/integration/harness"
	"github.com/weir-collect/weir/internal/connect"
	"github.com/weir-collect/weir/internal/objectstore"
	"github.com/weir-collect/weir/starter"
)

// TestPlainTemporalClient starts a submission with nothing but JSON, as any Temporal client would: no starter, no search
// attributes, no priority, no upload through weir.
func TestPlainTemporalClient(t *testing.T) {
	books := site(t, "127.0.0.1")
	f := fleet(t, harness.Options{Sources: []harness.Source{{Name: "books", Host: books.Host, Ceiling: 2}}})
	startWorker(t, f)
	input := json.RawMessage(fmt.Sprintf(`{"customer":"acme","records":[{"url":"%[1]s/a"},{"url":"%[1]s/b","shelf":7}]}`, books.URL))
	run, err := f.Engine.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{ID: id(t), TaskQueue: "weir"}, "Submission", input)
	require.NoError(t, err)
	var result map[string]any
	require.NoError(t, run.Get(t.Context(), &result))
	require.Equal(t, "complete", result["state"])
	deliveredOnce(t, f, run.GetID(), 2)
}

// TestFilesThatAreNone submits what no row can be read of, by the starter and past it.
func TestFilesThatAreNone(t *testing.T) {
	books := site(t, "127.0.0.1")
	f := fleet(t, harness.Options{Sources: []harness.Source{{Name: "books", Host: books.Host}}})
	startWorker(t, f)
	row := books.URL + "/a\n"
	for name, c := range map[string]struct {
		content, file string
		// refusal is the starter's, and reason the plan's when the file gets there another way.
		refusal string
		reason  collection.Reason
	}{
		"empty":          {"", "r.csv", "is empty", collection.ReasonUploadUnreadable},
		"empty-jsonl":    {"", "r.jsonl", "holds no records", collection.ReasonSubmissionEmpty},
		"header-only":    {"url\n", "r.csv", "holds no records", collection.ReasonSubmissionEmpty},
		"no-url-column":  {"link\n" + row, "r.csv", "has no column url or source", ""},
		"no-header":      {row + row, "r.csv", "header", collection.ReasonUploadUnreadable},
		"twice-url":      {"url,url\n" + row, "r.csv", "url", collection.ReasonUploadUnreadable},
		"damaged-gzip":   {"\x1f\x8b\x08\x00broken", "r.csv.gz", "r.csv.gz", collection.ReasonUploadUnreadable},
		"a-zip":          {"PK\x03\x04and so on", "r.csv", "ZIP", collection.ReasonUploadUnreadable},
		"utf-16-no-mark": {"u\x00r\x00l\x00\n\x00", "r.csv", "UTF-16", collection.ReasonUploadUnreadable},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := f.Client.Submit(t.Context(), starter.Request{
				ID: id(t), Customer: "acme", File: strings.NewReader(c.content), FileName: c.file,
			})
			require.ErrorContains(t, err, c.refusal)
			if c.reason == "" {
				return
			}
			key := collection.UploadKey("acme", id(t), c.file)
			_, err = f.Store.Put(t.Context(), key, []byte(c.content), "")
			require.NoError(t, err)
			requireFailed(t, f, collection.SubmissionInput{Customer: "acme", Upload: key}, c.reason)
		})
	}
}

// requireFailed starts a submission past the starter, and wants it to fail with a reason.
func requireFailed(t *testing.T, f *harness.Fleet, in collection.SubmissionInput, reason collection.Reason) collection.SubmissionStatus {
	t.Helper()
	run, err := f.Engine.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{ID: id(t), TaskQueue: collection.QueueWorkflows},
		collection.WorkflowSubmission, in)
	require.NoError(t, err)
	require.Error(t, run.Get(t.Context(), nil))
	status, err := f.Client.Status(t.Context(), run.GetID())
	require.NoError(t, err)
	require.Equal(t, collection.StateFailed, status.State)
	require.Equal(t, reason, status.Reason, status.Detail)
	require.NotEmpty(t, status.Detail)
	return status
}

func TestSubmissionsThatCannotBePlanned(t *testing.T) {
	books := site(t, "127.0.0.1")
	f := fleet(t, harness.Options{Sources: []harness.Source{{Name: "books", Host: books.Host}}, Customers: []harness.Customer{{Name: "acme"}, {Name: "other"}}})
	startWorker(t, f)
	rows := []json.RawMessage{json.RawMessage(`{"url":"` + books.URL + `/a"}`)}

	status := requireFailed(t, f, collection.SubmissionInput{Customer: "acme", Upload: "uploads/acme/x/none.csv"}, collection.ReasonUploadMissing)
	require.Contains(t, status.Detail, "uploads/acme/x/none.csv")
	status = requireFailed(t, f, collection.SubmissionInput{Customer: "acme", Upload: "uploads/other/x/f.csv"}, collection.ReasonSubmissionInvalid)
	require.Contains(t, status.Detail, "uploads/acme/")
	status = requireFailed(t, f, collection.SubmissionInput{Customer: "acme", Records: rows, Source: "nothing"}, collection.ReasonSourceUnknown)
	require.Contains(t, status.Detail, "nothing")
	requireFailed(t, f, collection.SubmissionInput{Customer: "acme"}, collection.ReasonSubmissionInvalid)
	require.Zero(t, books.Ledger().Requests)
}

// TestUnknownCustomer: another worker may know the customer, so the plan is tried again, and says why.
func TestUnknownCustomer(t *testing.T) {
	books := site(t, "127.0.0.1")
	f := fleet(t, harness.Options{Sources: []harness.Source{{Name: "books", Host: books.Host}}})
	startWorker(t, f)
	rows := []json.RawMessage{json.RawMessage(`{"url":"` + books.URL + `/a"}`)}
	submitted, err := f.Client.Submit(t.Context(), starter.Request{ID: id(t), Customer: "nobody", Records: rows})
	require.NoError(t, err)
	until(t, time.Minute, "a second attempt of the plan", func() bool {
		d, err := f.Engine.DescribeWorkflowExecution(t.Context(), submitted.ID, "")
		require.NoError(t, err)
		for _, a := range d.GetPendingActivities() {
			if a.GetAttempt() > 1 {
				require.Contains(t, a.GetLastFailure().GetMessage(), `customer "nobody" is not in this worker's configuration`)
				return true
			}
		}
		return false
	})
	require.NoError(t, f.Client.Cancel(t.Context(), submitted.ID, "a test"))
	status := wait(t, f, submitted.ID, time.Minute)
	require.Equal(t, collection.StateCancelled, status.State)
	require.Zero(t, books.Ledger().Requests)
}

// TestIDOfAnother: an id that was given once collects nothing else, whoever starts it and however.
func TestIDOfAnother(t *testing.T) {
	const records = 30
	books := site(t, "127.0.0.1")
	books.SetLatency(2 * time.Second) // it is to be cancelled before it has ended
	f := fleet(t, harness.Options{
		Sources:   []harness.Source{{Name: "books", Host: books.Host, Ceiling: 2}},
		Customers: []harness.Customer{{Name: "acme"}, {Name: "initech"}},
	})
	startWorker(t, f)
	name := id(t)
	own := func() starter.Request {
		return starter.Request{ID: name, Customer: "acme", File: strings.NewReader(pages(records, books)), FileName: "big.csv"}
	}
	refused := func(says string, change func(*starter.Request)) {
		t.Helper()
		r := own()
		r.FileName = "other.csv"
		change(&r)
		_, err := f.Client.Submit(t.Context(), r)
		var taken *collection.IDTakenError
		require.ErrorAs(t, err, &taken)
		require.ErrorContains(t, err, says)
	}
	others := func(r *starter.Request) { r.Customer = "initech" }
	corrected := func(r *starter.Request) { r.File = strings.NewReader(pages(2, books)) }

	first := submit(t, f, own())
	refused("not initech's", others)
	until(t, time.Minute, "some deliveries", func() bool { return deliveredOf(t, f, first) >= 3 })
	refused("/other.csv", corrected)
	require.NoError(t, f.Client.Cancel(t.Context(), first, "a test"))
	require.Equal(t, collection.StateCancelled, wait(t, f, first, time.Minute).State)
	refused("not initech's", others)
	refused("/other.csv", corrected)

	key := collection.UploadKey("initech", name, "other.csv")
	_, err := f.Store.Put(t.Context(), key, []byte(pages(2, books)), "")
	require.NoError(t, err)
	asked := books.Ledger().Requests
	run, err := f.Engine.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{ID: name, TaskQueue: collection.QueueWorkflows},
		collection.WorkflowSubmission, collection.SubmissionInput{Customer: "initech", Upload: key})
	require.NoError(t, err)
	var app *temporal.ApplicationError
	err = run.Get(t.Context(), nil)
	require.ErrorAs(t, err, &app)
	require.Equal(t, string(collection.ReasonSubmissionInvalid), app.Type())
	require.ErrorContains(t, err, "it is customer acme's, not initech's")
	require.Equal(t, asked, books.Ledger().Requests)
	for info, err := range f.Store.List(t.Context(), collection.DeliveryPrefix("initech", name)) {
		require.NoError(t, err)
		t.Errorf("%s was written", info.Key)
	}

	books.SetLatency(0)
	again := own()
	again.FileName = "the same as big.csv"
	submit(t, f, again)
	require.Equal(t, collection.StateComplete, wait(t, f, name, time.Minute).State)
	deliveredOnce(t, f, name, records)
}

// TestOddRows mixes rows of every kind in one file; the good ones are delivered and each bad one is told with its line.
func TestOddRows(t *testing.T) {
	books := site(t, "127.0.0.1")
	f := fleet(t, harness.Options{Sources: []harness.Source{{Name: "books", Host: books.Host, Ceiling: 4}}})
	startWorker(t, f)
	good := func(path string) string { return fmt.Sprintf(`{"url":"%s/%s"}`, books.URL, path) }
	long := fmt.Sprintf(`{"url":"%s/long","note":"%s"}`, books.URL, strings.Repeat("x", 1<<20))
	large := fmt.Sprintf(`{"url":"%s/large","note":"%s"}`, books.URL, strings.Repeat("x", 900<<10))
	for name, c := range map[string]struct {
		file, content string
		delivered     int
		invalid       []int
	}{
		"jsonl": {
			"r.jsonl",
			strings.Join([]string{good("a"), good("b") + good("c"), long, `{"url":`, large, "", good("d"), `["x"]`}, "\n") + "\n",
			3, []int{2, 3, 4, 8},
		},
		"csv": {
			"r.csv",
			"\ufeffURL;Note\r\n" + books.URL + "/e;1\r\n" + books.URL + "/f;\"two\r\nlines\"\r\n" + books.URL + "/g;1;2\r\n\r\nhttps://unknown.example/;3\r\n",
			2, []int{5, 7},
		},
	} {
		t.Run(name, func(t *testing.T) {
			submission := submit(t, f, starter.Request{File: strings.NewReader(c.content), FileName: c.file})
			status := wait(t, f, submission, time.Minute)
			require.Equal(t, c.delivered, status.Outcomes.Of(collection.OutcomeDelivered), "%+v", status.Outcomes)
			var lines []int
			for row, err := range f.Client.Records(t.Context(), submission, starter.Filter{Outcome: collection.OutcomeInvalid}) {
				require.NoError(t, err)
				require.NotEmpty(t, row.Detail)
				lines = append(lines, row.Line)
			}
			require.Equal(t, c.invalid, lines)
			require.Equal(t, c.delivered+len(c.invalid), status.Expected)
		})
	}
}

// TestUnreachable asks for parts that are not there: each must be named within 10 s.
func TestUnreachable(t *testing.T) {
	books := site(t, "127.0.0.1")
	f := fleet(t, harness.Options{Sources: []harness.Source{{Name: "books", Host: books.Host}}})
	secrets := func(key string) connect.Secrets {
		return connect.Secrets{Env: func(string) (string, bool) { return key, true }}
	}
	for name, c := range map[string]struct {
		open func(ctx context.Context) error
		says []string
	}{
		"temporal": {func(ctx context.Context) error {
			cfg := f.Config
			cfg.Temporal.Address = "127.0.0.1:1"
			_, err := connect.Temporal(ctx, cfg, secrets(""), connect.TemporalOptions{})
			return err
		}, []string{"127.0.0.1:1", "temporal.address"}},
		"namespace": {func(ctx context.Context) error {
			cfg := f.Config
			cfg.Temporal.Namespace = "nowhere"
			_, err := connect.Temporal(ctx, cfg, secrets(""), connect.TemporalOptions{})
			return err
		}, []string{"nowhere", "temporal.namespace"}},
		"store": {func(ctx context.Context) error {
			cfg := f.Config
			cfg.S3.Endpoint = "http://127.0.0.1:1"
			_, err := connect.Store(ctx, cfg, secrets("weir"))
			return err
		}, []string{"http://127.0.0.1:1"}},
		"credentials": {func(ctx context.Context) error {
			_, err := connect.Store(ctx, f.Config, secrets("wrong-secret"))
			require.NotContains(t, err.Error(), "wrong-secret")
			require.ErrorIs(t, err, collection.ErrStoreDenied)
			return err
		}, []string{f.Stack.S3, "credential"}},
		"bucket": {func(ctx context.Context) error {
			store, err := objectstore.Open(ctx, objectstore.Options{
				Endpoint: f.Stack.S3, Region: f.Stack.Region, Bucket: "no-such-bucket", PathStyle: true,
				AccessKey: f.Stack.AccessKey, SecretKey: f.Stack.SecretKey,
			})
			require.NoError(t, err)
			return store.Check(ctx)
		}, []string{"no-such-bucket"}},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			err := c.open(ctx)
			require.NoError(t, ctx.Err(), "it must not take longer")
			for _, part := range c.says {
				require.ErrorContains(t, err, part)
			}
		})
	}
}

// TestCancel stops a submission in the middle: what was delivered stays, the rest is accounted for.
func TestCancel(t *testing.T) {
	const records = 300
	books := site(t, "127.0.0.1")
	books.SetLatency(200 * time.Millisecond)
	f := fleet(t, harness.Options{Sources: []harness.Source{{Name: "books", Host: books.Host, Ceiling: 2}}})
	startWorker(t, f)
	submission := submitCSV(t, f, pages(records, books))
	until(t, time.Minute, "some deliveries", func() bool { return deliveredOf(t, f, submission) >= 5 })
	require.NoError(t, f.Client.Cancel(t.Context(), submission, "test"))
	status := wait(t, f, submission, time.Minute)
	require.Equal(t, collection.StateCancelled, status.State)
	delivered := status.Outcomes.Of(collection.OutcomeDelivered)
	require.Equal(t, records, delivered+status.Outcomes.Of(collection.OutcomeCancelled), "%+v", status.Outcomes)
	require.Equal(t, deliveredOf(t, f, submission), delivered)
	asked := books.Ledger().Requests
	require.Less(t, asked, records)
	time.Sleep(time.Second)
	require.Equal(t, asked, books.Ledger().Requests, "nothing is requested after the end")
}

// TestAnswersAgree asks for a record on every ground.
func TestAnswersAgree(t *testing.T) {
	books := site(t, "127.0.0.1")
	f := fleet(t, harness.Options{Sources: []harness.Source{{Name: "books", Host: books.Host}}})
	w := startWorker(t, f)
	submission := submitCSV(t, f, pages(3, books))
	wait(t, f, submission, time.Minute)
	require.NoError(t, w.Stop())
	byURL, err := f.Client.Record(t.Context(), submission, books.URL+"/page/1")
	require.NoError(t, err)
	require.Equal(t, "engine", byURL.Ground)
	require.Equal(t, collection.OutcomeDelivered, byURL.Result.Outcome)
	found := 0
	for row, err := range f.Client.Records(t.Context(), submission, starter.Filter{}) {
		require.NoError(t, err)
		if row.Record == byURL.Record {
			found++
			require.Equal(t, *byURL.Result, row.RecordResult)
		}
	}
	require.Equal(t, 1, found)
	_, err = f.Client.Record(t.Context(), submission, "http://127.0.0.1/none")
	require.ErrorIs(t, err, starter.ErrNotFound)
	_, err = f.Client.Status(t.Context(), "no-such-submission")
	require.ErrorIs(t, err, starter.ErrNotFound)

	links, err := f.Client.Links(t.Context(), submission, time.Hour)
	require.NoError(t, err)
	require.Equal(t, "manifest.json", links[0].Name)
	for _, link := range links {
		if link.SHA256 != "" {
			require.Equal(t, link.SHA256, sha256Of(t, link.URL), link.Name)
		}
	}
	_, err = f.Client.Links(t.Context(), submission, 8*24*time.Hour)
	require.ErrorContains(t, err, "168h")
}
