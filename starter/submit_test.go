package starter_test

import (
	"encoding/json"
	"errors"
	"io"
	"path"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/mocks"
	"go.temporal.io/sdk/temporal"
	"pgregory.net/rapid"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/intake"
	"github.com/weir-collect/weir/starter"
)

const rows = "url\nhttps://books.example/1\n"

// started is what a submission was started with.
type started struct {
	options client.StartWorkflowOptions
	input   collection.SubmissionInput
}

// starts lets the engine start a submission, and notes how it was.
func (tr *trial) starts(err error) *started {
	s := &started{}
	begun := &mocks.WorkflowRun{}
	begun.On("GetRunID").Return(run)
	tr.engine.On("ExecuteWorkflow", mock.Anything, mock.Anything, collection.WorkflowSubmission, mock.Anything).
		Run(func(args mock.Arguments) {
			s.options, s.input = args.Get(1).(client.StartWorkflowOptions), args.Get(3).(collection.SubmissionInput)
		}).Return(begun, err)
	return s
}

// fresh is a trial whose engine has never heard of anything.
func fresh(t *testing.T) *trial {
	t.Helper()
	tr := setup(t)
	tr.engine.On("DescribeWorkflowExecution", mock.Anything, mock.Anything, "").Return(nil, errUnknown)
	return tr
}

func csv(id string) starter.Request {
	return starter.Request{ID: id, Customer: "acme", File: strings.NewReader(rows), FileName: "books.csv"}
}

func TestSubmitFile(t *testing.T) {
	t.Parallel()
	tr := fresh(t)
	begun := tr.starts(nil)
	r := csv("books-1")
	r.Source, r.Format, r.Lane = "books", "csv", collection.LaneUrgent
	submitted, err := tr.client.Submit(t.Context(), r)
	require.NoError(t, err)
	require.Equal(t, starter.Submitted{ID: "books-1", RunID: run}, submitted)
	require.Equal(t, collection.SubmissionInput{
		Customer: "acme", Upload: "uploads/acme/books-1/books.csv", Format: "csv", Source: "books", Lane: collection.LaneUrgent,
	}, begun.input)
	body, err := tr.store.Get(t.Context(), begun.input.Upload, 1<<10)
	require.NoError(t, err)
	require.Equal(t, rows, string(body), "whole, although it was read before")
}

func TestSubmitRecords(t *testing.T) {
	t.Parallel()
	tr := fresh(t)
	begun := tr.starts(nil)
	records := []json.RawMessage{json.RawMessage(`{"url":"https://books.example/1"}`), json.RawMessage(`{"url":"https://books.example/2"}`)}
	_, err := tr.client.Submit(t.Context(), starter.Request{ID: "books-1", Customer: "acme", Records: records})
	require.NoError(t, err)
	require.Equal(t, collection.SubmissionInput{Customer: "acme", Records: records}, begun.input)
	require.Equal(t, "acme: 2 records", begun.options.StaticSummary)
	require.Empty(t, tr.store.keys(t, ""), "nothing is uploaded")
}

func TestStartOptions(t *testing.T) {
	t.Parallel()
	tr := fresh(t)
	begun := tr.starts(nil)
	r := starter.Request{
		ID: strings.Repeat("i", 100), Customer: strings.Repeat("c", 63), Source: strings.Repeat("s", 63),
		File: strings.NewReader(rows), FileName: strings.Repeat("ü", 150) + ".csv",
	}
	_, err := tr.client.Submit(t.Context(), r)
	require.NoError(t, err)
	o := begun.options
	require.Equal(t, r.ID, o.ID)
	require.Equal(t, "weir", o.TaskQueue)
	require.Equal(t, enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE_FAILED_ONLY, o.WorkflowIDReusePolicy)
	require.Equal(t, enumspb.WORKFLOW_ID_CONFLICT_POLICY_FAIL, o.WorkflowIDConflictPolicy, "another's run must not be taken for ours")
	require.True(t, o.WorkflowExecutionErrorWhenAlreadyStarted)
	require.Equal(t, temporal.Priority{FairnessKey: r.Customer}, o.Priority)
	require.LessOrEqual(t, len(o.Priority.FairnessKey), 64, "Temporal's limit")
	customer, ok := o.TypedSearchAttributes.GetKeyword(temporal.NewSearchAttributeKeyKeyword(collection.AttributeCustomer))
	require.True(t, ok)
	require.Equal(t, r.Customer, customer)
	require.Zero(t, o.WorkflowExecutionTimeout, "a submission may take as long as it takes")
	require.Zero(t, o.WorkflowRunTimeout)
	// Temporal allows 400 bytes and 20,000.
	for text, most := range map[string]int{o.StaticSummary: 200, o.StaticDetails: 2000} {
		require.NotEmpty(t, text)
		require.LessOrEqual(t, len(text), most)
		require.True(t, utf8.ValidString(text))
	}
	require.True(t, strings.HasPrefix(o.StaticSummary, r.Customer))
	require.Contains(t, o.StaticDetails, begun.input.Upload)
	require.Contains(t, o.StaticDetails, collection.DeliveryPrefix(r.Customer, r.ID))
}

// TestFileNames: whatever the file is called where it comes from, its upload has one clean name.
func TestFileNames(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"books.csv":               "books.csv",
		"/home/me/lists/b.csv":    "b.csv",
		`C:\lists\b.csv`:          "b.csv",
		`C:\lists/mixed\b.csv`:    "b.csv",
		"lists/":                  "lists",
		"../../etc/passwd":        "passwd",
		"a..b.csv":                "a..b.csv",
		"":                        "records",
		".":                       "records",
		"..":                      "records",
		"a/..":                    "records",
		"/":                       "records",
		`\`:                       "records",
		"\xff":                    "records",
		"b\xfccher.csv":           "bcher.csv",
		"bücher 1.csv":            "bücher 1.csv",
		strings.Repeat("x", 300):  strings.Repeat("x", 120),
		long("x", 300, ".csv.gz"): long("x", 113, ".csv.gz"),
		long("ü", 150, ".csv"):    long("ü", 58, ".csv"),
		long("ü", 150, "1.csv"):   long("ü", 57, "1.csv"),
	} {
		tr := fresh(t)
		begun := tr.starts(nil)
		r := csv("books-1")
		r.FileName, r.Format = given, "csv"
		_, err := tr.client.Submit(t.Context(), r)
		require.NoError(t, err, given)
		require.Equal(t, "uploads/acme/books-1/"+want, begun.input.Upload, given)
		require.Equal(t, []string{begun.input.Upload}, tr.store.keys(t, ""), given)
	}
}

func long(part string, n int, end string) string { return strings.Repeat(part, n) + end }

// TestAnyFileNameIsUsable tries names that nobody has thought of.
func TestAnyFileNameIsUsable(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		tr := newTrial()
		tr.engine.On("DescribeWorkflowExecution", mock.Anything, mock.Anything, "").Return(nil, errUnknown)
		begun := tr.starts(nil)
		request := csv("books-1")
		request.Format = "csv"
		request.FileName = string(rapid.SliceOfN(rapid.SampledFrom([]byte("ab./\\ \xc3\xbc\xff\n")), 0, 300).Draw(r, "name"))
		_, err := tr.client.Submit(r.Context(), request)
		require.NoError(r, err)
		dir, name := path.Split(begun.input.Upload)
		require.Equal(r, "uploads/acme/books-1/", dir)
		require.NotEmpty(r, name)
		require.LessOrEqual(r, len(name), 120)
		require.True(r, utf8.ValidString(name))
	})
}

// TestDerivedID: the id follows from what is submitted, and from nothing else.
func TestDerivedID(t *testing.T) {
	t.Parallel()
	idOf := func(change func(*starter.Request)) string {
		tr := fresh(t)
		tr.starts(nil)
		r := csv("")
		change(&r)
		submitted, err := tr.client.Submit(t.Context(), r)
		require.NoError(t, err)
		require.NoError(t, collection.CheckSubmissionID(submitted.ID))
		require.True(t, strings.HasPrefix(submitted.ID, r.Customer+"-"), submitted.ID)
		return submitted.ID
	}
	first := idOf(func(*starter.Request) {})
	require.Equal(t, "acme-436631f36bf4", first, "the same in every version, or a repeated submission is collected twice")
	for what, same := range map[string]func(*starter.Request){
		"again":     func(*starter.Request) {},
		"file name": func(r *starter.Request) { r.FileName = "copy of books.csv" },
		"lane":      func(r *starter.Request) { r.Lane = collection.LaneBulk },
		"read before": func(r *starter.Request) {
			_, err := io.Copy(io.Discard, r.File)
			require.NoError(t, err)
		},
	} {
		require.Equal(t, first, idOf(same), what)
	}
	seen := map[string]string{first: "the first"}
	for what, other := range map[string]func(*starter.Request){
		"customer": func(r *starter.Request) { r.Customer = "other" },
		"source":   func(r *starter.Request) { r.Source = "books" },
		"format":   func(r *starter.Request) { r.Format = "csv" },
		"content":  func(r *starter.Request) { r.File = strings.NewReader(rows + "https://books.example/2\n") },
		"records": func(r *starter.Request) {
			r.File, r.Records = nil, []json.RawMessage{json.RawMessage(`{"url":"https://books.example/1"}`)}
		},
		"records in another order": func(r *starter.Request) {
			r.File, r.Records = nil, []json.RawMessage{json.RawMessage(`{"url":"b"}`), json.RawMessage(`{"url":"a"}`)}
		},
		"records in order": func(r *starter.Request) {
			r.File, r.Records = nil, []json.RawMessage{json.RawMessage(`{"url":"a"}`), json.RawMessage(`{"url":"b"}`)}
		},
	} {
		id := idOf(other)
		require.NotContains(t, seen, id, what)
		seen[id] = what
	}
}

// TestRefusedBeforeAnythingIsDone: neither the engine nor the store hears of what cannot be a submission.
func TestRefusedBeforeAnythingIsDone(t *testing.T) {
	t.Parallel()
	record := json.RawMessage(`{"url":"https://books.example/1"}`)
	for what, c := range map[string]struct {
		request starter.Request
		says    []string
	}{
		"nothing":       {starter.Request{Customer: "acme"}, []string{"neither upload nor records"}},
		"both":          {starter.Request{Customer: "acme", File: strings.NewReader(rows), Records: []json.RawMessage{record}}, []string{"use one"}},
		"everything":    {starter.Request{ID: "a/b", Customer: "A b", Source: "x y", Format: "xlsx", Lane: "fast", Records: []json.RawMessage{record}}, []string{`"a/b"`, `"A b"`, `"x y"`, `"xlsx"`, `"fast"`}},
		"no customer":   {starter.Request{Records: []json.RawMessage{record}}, []string{`customer ""`}},
		"large records": {starter.Request{Customer: "acme", Records: []json.RawMessage{make([]byte, collection.MaxInlineBytes+1)}}, []string{"upload them as a file"}},
	} {
		tr := setup(t)
		_, err := tr.client.Submit(t.Context(), c.request)
		require.Error(t, err, what)
		for _, text := range c.says {
			require.ErrorContains(t, err, text, what)
		}
		require.Empty(t, tr.store.keys(t, ""), what)
	}
}

// TestFilesThatAreRefused: a file of which no row can become a record is not uploaded.
func TestFilesThatAreRefused(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct{ name, content, says string }{
		"empty":       {"r.csv", "", "r.csv"},
		"header only": {"r.csv", "url\n", "the file holds no records"},
		"no rows":     {"r.jsonl", "\n\n", "the file holds no records"},
		"no column":   {"r.csv", "link,title\nx,y\n", "its columns are link, title"},
		"damaged":     {"r.csv.gz", "\x1f\x8b\x08\x00broken", "r.csv.gz"},
	} {
		tr := fresh(t)
		_, err := tr.client.Submit(t.Context(), starter.Request{Customer: "acme", File: strings.NewReader(c.content), FileName: c.name})
		require.ErrorContains(t, err, c.says, what)
		var header *intake.HeaderError
		var file *intake.FileError
		require.True(t, errors.As(err, &header) || errors.As(err, &file), "%s: the file is at fault, and whoever asks can tell", what)
		require.Empty(t, tr.store.keys(t, ""), what)
	}
}

// TestFilesThatAreTaken: what may still become a record is left to the plan, which looks at every row.
func TestFilesThatAreTaken(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct{ name, content, source string }{
		"named source":   {"r.csv", "link\nx\n", "books"},
		"source column":  {"r.csv", "SOURCE;isbn\nbooks;1\n", ""},
		"URL in capital": {"r.csv", " URL \nhttps://books.example/1\n", ""},
		"bad first row":  {"r.jsonl", "{\n{\"url\":\"https://books.example/1\"}\n", ""},
	} {
		tr := fresh(t)
		begun := tr.starts(nil)
		_, err := tr.client.Submit(t.Context(), starter.Request{
			Customer: "acme", File: strings.NewReader(c.content), FileName: c.name, Source: c.source,
		})
		require.NoError(t, err, what)
		require.Equal(t, []string{begun.input.Upload}, tr.store.keys(t, ""), what)
	}
}

// brokenFile fails after some reads and seeks.
type brokenFile struct {
	io.ReadSeeker
	seeks int
}

var errDisk = errors.New("the disk is broken")

func (b *brokenFile) Seek(offset int64, whence int) (int64, error) {
	if b.seeks--; b.seeks < 0 {
		return 0, errDisk
	}
	return b.ReadSeeker.Seek(offset, whence)
}

func TestSubmitFilesThatCannotBeRead(t *testing.T) {
	t.Parallel()
	for seeks := range 3 {
		tr := newTrial()
		tr.forgot("books-1")
		r := csv("books-1")
		r.File = &brokenFile{ReadSeeker: strings.NewReader(rows), seeks: seeks}
		_, err := tr.client.Submit(t.Context(), r)
		require.ErrorIs(t, err, errDisk)
		require.ErrorContains(t, err, "books.csv")
		require.Empty(t, tr.store.keys(t, ""))
	}
}

func TestUploadThatFails(t *testing.T) {
	t.Parallel()
	tr := fresh(t)
	tr.store.fails["upload"] = collection.ErrStoreDenied
	_, err := tr.client.Submit(t.Context(), csv("books-1"))
	require.ErrorIs(t, err, collection.ErrStoreDenied)
	require.ErrorContains(t, err, "upload books.csv")
}

// TestAnotherFileUnderTheSameName: what an earlier start has uploaded is not overwritten.
func TestAnotherFileUnderTheSameName(t *testing.T) {
	t.Parallel()
	tr := fresh(t)
	stores(tr, collection.UploadKey("acme", "books-1", "books.csv"), "another")
	_, err := tr.client.Submit(t.Context(), csv("books-1"))
	var conflict *collection.ConflictError
	require.ErrorAs(t, err, &conflict)
	require.ErrorContains(t, err, "give this one another id")
}

func TestHeaderErrorsKeepTheirType(t *testing.T) {
	t.Parallel()
	tr := fresh(t)
	_, err := tr.client.Submit(t.Context(), starter.Request{Customer: "acme", File: strings.NewReader("url,url\na,b\n"), FileName: "r.csv"})
	var header *intake.HeaderError
	require.ErrorAs(t, err, &header)
	require.Equal(t, 1, header.Line)
}
