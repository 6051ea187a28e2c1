package collection

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the golden files anew; only after having understood what changed, and why no running workflow minds")

// wire is one full value of everything that enters a history or an object.
func wire() map[string]any {
	at := time.Date(2026, 11, 29, 14, 0, 0, 0, time.UTC)
	first := at.Add(time.Second)
	raw := Raw{Key: "raw/s/r/abc", SHA256: "abc", Size: 10, URL: "https://a.example/x", Status: 200, ContentType: "text/html", FetchedAt: at,
		Method: "api", Egress: "east", NotModifiedAt: &first}
	delivered := Delivered{Key: "results/acme/s/records/r.json", SHA256: "def", Size: 20, Generation: 1, VerifiedAt: at}
	trail := Trail{Robots: &RobotsDecision{Allowed: true, Rule: "Allow: /x", Line: 3, Why: "no rule", FetchedAt: &at}, Omitted: 1,
		Attempts: []AttemptLine{{At: first, Queue: 1, Backoff: 2, Permit: 3, Pace: 4, Took: 5, Method: "api", Egress: "east",
			Status: 503, Reason: ReasonServerError}}}
	result := RecordResult{Record: "r", Outcome: OutcomeDelivered, Reason: ReasonThrottled, Detail: "why", Attempts: 2,
		FirstRequestAt: &first, Raw: &raw, Delivered: &delivered, Lost: &delivered, Trail: &trail, Missing: []string{"price"}}
	record := Record{ID: "r", Line: 2, Key: "k", URL: "https://a.example/x", Fields: json.RawMessage(`{"a":1}`),
		Stored: &ObjectRange{Key: "plans/s/books/00001.jsonl", Offset: 5, Length: 6}}
	tally := Tally{{Outcome: OutcomeDelivered, Records: 3}, {Outcome: OutcomeGone, Reason: ReasonGone, Records: 1}}
	policy := SourcePolicy{Window: 14, HeartbeatTimeout: Duration(20 * time.Second), GiveUpAfter: Duration(24 * time.Hour)}
	document := Document{Inline: json.RawMessage(`{"x":1}`), Stored: &ObjectRange{Key: "parsed/s/r/def.json"}, SHA256: "def", Size: 7}
	request := SubmissionInput{Customer: "acme", Upload: "uploads/acme/s/f.csv", Format: "csv",
		Records: []json.RawMessage{json.RawMessage(`{"url":"https://a.example/x"}`)}, Source: "books", Lane: LaneUrgent,
		Tolerate: &Tolerance{Records: 3, Share: 0.01}}
	breach := QualityCheck{Source: "books", Check: QualityMissing, Field: "price", Result: QualityBreach, Observed: 0.25, Allowed: 0.02, Of: 4, Detail: "why"}
	submissionResult := SubmissionResult{State: StateComplete, Expected: 4, Outcomes: tally, Manifest: "m", ManifestSHA256: "abc", Tolerance: &ToleranceVerdict{Tolerance: Tolerance{Records: 3, Share: 0.01}, Lost: 1, Within: true},
		Breaches: []QualityCheck{breach}}
	counted := QualityEntry{Fields: []string{"price"}, Breached: []string{"price"}, QualityCounts: QualityCounts{Source: "books", Submission: "s",
		AcceptedAt: at, Records: 9, Duplicates: 1, Completed: 5, Stored: 4, Empty: 2, Invalid: 1, Missing: map[string]int{"price": 1}}}
	ceiling, pace := 2, 0.5
	file := ManifestFile{Key: "k", Name: "n", Size: 1, Records: 2, SHA256: "abc", VerifiedAt: at}
	shipped := ShipResult{Destination: "https://s3.example/b/p/s/", Files: 3, Objects: 2, Bytes: 9, ManifestSHA256: "abc", VerifiedAt: at}
	redelivered := RedeliverResult{Shipped: shipped, Settled: &submissionResult}
	again := RecordReplay{Raw: &raw, Attempts: 2, FirstRequestAt: &first, Redeliver: true}
	some := ReplaySelect{Reasons: []Reason{ReasonParseEmpty}, Sources: []string{"books"}, Records: []string{"r"}}
	replayed := ReplayResult{Number: 1, Dead: 4, Selected: 3, WithoutRaw: 1, LostParts: 1, Outcomes: tally, Settled: &submissionResult}
	finding := Finding{Kind: FindingQueueUnpolled, Severity: SEV2, Subject: "collect.books", Source: "books", Records: 3, Since: at, Detail: "why", Do: "act", Mended: true}
	tidied := TidyResult{Class: ClassRaw, Retention: Duration(time.Hour), Looked: 9, Deleted: 5, Bytes: 100, Held: 2, Strange: 1, Failed: 1, Problem: "why"}
	return map[string]any{
		"submission_input":  request,
		"submission_result": submissionResult,
		"submission_status": SubmissionStatus{Submission: "s", Customer: "acme", State: StateProcessing, Lane: LaneNormal,
			AcceptedAt: at, Stage: "collect", Expected: 4, Outcomes: tally,
			Sources: []SourceProgress{{Source: "books", Records: 4, Released: 3, Outcomes: tally}},
			Notes:   []string{"n"}, Result: &submissionResult, Reason: ReasonUploadMissing, Detail: "why",
			Cancelled: &CancelRequest{By: "weir@vm:1", At: at, Reason: "r"}},
		"plan_input": PlanInput{Submission: "s", Request: request, AcceptedAt: at},
		"plan_result": PlanResult{Submission: "s", Customer: "acme", AcceptedAt: at, Expected: 4, Accepted: 3, Rejected: tally,
			RejectedParts: 1, Sources: []SourcePlan{{Source: "books", Records: 3, Batches: []BatchPlan{{Number: 1, Records: 3}}, Policy: policy}},
			Lane: LaneNormal, Weight: 2, Tolerate: &Tolerance{Records: 3, Share: 0.01}, Notes: []string{"n"}, Ship: true, Layout: &PlannedLayout{
				Layout: Layout{Format: FormatParquet, Columns: []string{"price"}, Records: 5, Bytes: 6, Name: "x-{part}"},
				Types:  map[string]string{"price": "number"}},
			Content: &Content{Upload: "uploads/acme/s/f.csv", SHA256: "abc", Source: "books", Format: "csv"}},
		"batch_input": BatchInput{Submission: "s", Customer: "acme", Source: "books", Number: 1, Records: 3, AcceptedAt: at,
			Policy: policy, ProgressStep: 2, Replay: 1},
		"batch_progress":      BatchProgress{Source: "books", Number: 1, Released: 2, Outcomes: tally},
		"batch_result":        BatchResult{Outcomes: tally, Ledger: "ledger/s/books/00001.jsonl"},
		"batch_status":        BatchStatus{Submission: "s", Source: "books", Number: 1, Records: 3, Released: 2, InWindow: 1, Outcomes: tally},
		"load_batch_input":    LoadBatchInput{Submission: "s", Source: "books", Number: 1},
		"load_batch_result":   LoadBatchResult{Records: []Record{record}},
		"write_ledger_input":  WriteLedgerInput{Submission: "s", Source: "books", Number: 1, Part: true, Rows: []LedgerRow{{Line: 2, Key: "k", Source: "books", AsOf: &at, RecordResult: result}}},
		"write_ledger_result": WriteLedgerResult{Ledger: "l"},
		"record_input": RecordInput{Submission: "s", Customer: "acme", Source: "books", Batch: 1, AcceptedAt: at, Record: record,
			Policy: policy, Replay: &again},
		"record_result":  result,
		"record_status":  RecordStatus{Submission: "s", Record: "r", Source: "books", Stage: "parse", Raw: &raw, Result: &result},
		"collect_input":  CollectInput{Submission: "s", Customer: "acme", Source: "books", AcceptedAt: at, Record: record, Again: true},
		"collect_result": CollectResult{Raw: &raw, Outcome: OutcomeGone, Reason: ReasonGone, Detail: "why", Attempts: 1, FirstRequestAt: &first, Trail: &trail},
		"attempt_progress": AttemptProgress{Ended: 1, Requests: 2, Faults: 1, Reason: ReasonReset, InARow: 2, FirstRequestAt: &first, Waiting: "permit",
			Trail: &trail, BadEgress: "east", Unstored: 3, EndedAt: &first, Delay: 2, Settle: &SettleProgress{Files: []ManifestFile{file}, Delivered: 2, Lost: []LostDelivery{{Record: "r", Reason: ReasonDeliveryLost, Detail: "why"}}, Read: "abc", Packed: "def"},
			Ship: &ShipProgress{Destination: "https://s3.example/b/p/s/", ManifestSHA256: "abc", Files: 3, Parts: 1, Objects: 2, ObjectBytes: 9}},
		"parse_input":      ParseInput{Submission: "s", Customer: "acme", Source: "books", Record: record, Raw: raw},
		"parse_result":     ParseResult{Document: document, Missing: []string{"price"}},
		"deliver_input":    DeliverInput{Submission: "s", Customer: "acme", Source: "books", AcceptedAt: at, RecordID: "r", Document: document},
		"deliver_result":   DeliverResult{Delivered: delivered},
		"attempt_failure":  AttemptFailure{Detail: "why", Attempts: 2, FirstRequestAt: &first, Trail: &trail},
		"find_input":       FindInput{WorkflowID: "s/r"},
		"ship_input":       ShipInput{Submission: "s", Customer: "acme", To: "acme"},
		"ship_result":      shipped,
		"ship_loss":        ShipLoss{Standing: true, Cancelled: true},
		"redeliver_input":  RedeliverInput{ShipInput: ShipInput{Submission: "s", Customer: "acme", To: "acme"}, Cancelled: true},
		"redeliver_result": redelivered,
		"redeliver_status": RedeliverStatus{Submission: "s", To: "acme-new", Stage: "ship", Result: &redelivered},
		"settle_input":     SettleInput{Submission: "s", Customer: "acme", Cancelled: true},
		"seen":             Seen{ETag: `"x"`, LastModified: "Sun, 29 Nov 2026 14:00:00 GMT", URL: "https://a.example/x", Request: "abc", Raw: raw},
		"raw_meta":         RawMeta{Raw: raw, Source: "books", Record: record, Header: map[string]string{"etag": "x"}, Duration: Duration(time.Second)},
		"manifest": Manifest{Version: ManifestVersion, Generation: 2, Submission: "s", Customer: "acme", State: StateComplete, AcceptedAt: at,
			Expected: 4, Outcomes: tally, Sources: []SourceOutcomes{{Source: "books", Expected: 4, Outcomes: tally}}, Files: []ManifestFile{file},
			Checks: []QualityCheck{breach}, Breaches: 1, Tolerance: &ToleranceVerdict{Tolerance: Tolerance{Records: 3, Share: 0.5}, Lost: 1, Within: true}},
		"quality_report":  QualityReport{Submission: "s", Entries: []QualityEntry{counted}, Checks: []QualityCheck{breach}},
		"quality_history": QualityHistory{Source: "books", Submissions: []QualityEntry{counted}},
		"replay_input":    ReplayInput{Submission: "s", Select: some, From: ReplayFromRaw, By: "ann"},
		"replay_plan": ReplayPlan{Number: 1, Submission: "s", Customer: "acme", Run: "r", Dead: 4, Selected: 3, WithoutRaw: 1, LostParts: 1, Stale: true,
			Cancelled: true, Sources: []SourcePlan{{Source: "books", Records: 3, Batches: []BatchPlan{{Number: 7, Records: 3}}, Policy: policy}},
			Lane: LaneNormal, Weight: 2, Ship: true},
		"load_replay_input":  LoadReplayInput{Submission: "s", Replay: 1, Source: "books", Number: 7, After: 2},
		"load_replay_result": LoadReplayResult{Records: []ReplayedRecord{{Record: record, Replay: again}}, Next: 3},
		"merge_ledger_input": MergeLedgerInput{Submission: "s", Source: "books", Number: 7,
			Rows: []LedgerRow{{Line: 2, Key: "k", Source: "books", AsOf: &at, RecordResult: result}}},
		"merge_ledger_result": MergeLedgerResult{Ledger: "l", Kept: "l.g1"},
		"replay_result":       replayed,
		"replay_status": ReplayStatus{Submission: "s", Number: 1, Select: some, From: ReplayFromRaw, By: "ann", Stage: "replay", Dead: 4,
			Selected: 3, WithoutRaw: 1, LostParts: 1, Outcomes: tally, Sources: []SourceProgress{{Source: "books", Records: 3, Released: 2, Outcomes: tally}},
			Result: &replayed},
		"source_command": SourceCommand{Source: "books", By: "ann", Reason: "why", Ceiling: &ceiling, Pace: &pace, Method: "api", Until: at},
		"failure_row":    FailureRow{Line: 2, Key: "k", Source: "books", Record: "r", Outcome: OutcomeDeadLettered, Reason: ReasonTimeout, Attempts: 5, Detail: "why"},
		"sweep_input":    SweepInput{QuietAfter: Duration(time.Hour)},
		"check_input":    CheckInput{Check: CheckQueues, QuietAfter: Duration(time.Hour)},
		"check_result": CheckResult{Check: CheckQueues, Looked: 4, Unchecked: 1, Findings: []Finding{finding}, AtLeast: true, Omitted: 1, Mended: 1,
			DeadLetters: []DeadLetterCount{{Source: "books", Reason: ReasonParseEmpty, Records: 2, Oldest: at}}},
		"sweep_result": SweepResult{StartedAt: at, EndedAt: first, Findings: []Finding{finding},
			Checks: []CheckResult{{Check: CheckQueues, Looked: 4, Unchecked: 1, Findings: []Finding{finding}, AtLeast: true, Omitted: 1, Mended: 1,
				DeadLetters: []DeadLetterCount{{Source: "books", Reason: ReasonParseEmpty, Records: 2, Oldest: at}}}},
			DeadLetters: []DeadLetterCount{{Source: "books", Reason: ReasonParseEmpty, Records: 2, Oldest: at}}},
		"janitor_input":      JanitorInput{DryRun: true},
		"janitor_result":     JanitorResult{StartedAt: at, EndedAt: first, DryRun: true, Classes: []TidyResult{tidied}},
		"tidy_input":         TidyInput{Class: ClassRaw, Now: at, DryRun: true},
		"tidy_result":        tidied,
		"tidy_progress":      TidyProgress{After: "raw/s/r/abc", Result: tidied},
		"delivered_document": DeliveredDocument{Record: "r", Key: "k", Source: "books", URL: "https://a.example/x", FetchedAt: at, Fields: map[string]any{"title": "t"}},
	}
}

func TestWireIsWhatItWas(t *testing.T) {
	for name, value := range wire() {
		t.Run(name, func(t *testing.T) {
			requireFilled(t, reflect.ValueOf(value), name)
			got, err := json.MarshalIndent(value, "", "  ")
			require.NoError(t, err)
			golden(t, filepath.Join("testdata", "wire", name+".json"), append(got, '\n'))

			back := reflect.New(reflect.TypeOf(value))
			require.NoError(t, json.Unmarshal(got, back.Interface()))
			again, err := json.MarshalIndent(back.Elem().Interface(), "", "  ")
			require.NoError(t, err)
			require.Equal(t, string(got), string(again), "what is read back is what was written")
		})
	}
}

// requireFilled makes sure that a new field cannot be forgotten in the golden files.
func requireFilled(t *testing.T, v reflect.Value, path string) {
	t.Helper()
	switch v.Kind() {
	case reflect.Pointer:
		require.False(t, v.IsNil(), path)
		requireFilled(t, v.Elem(), path)
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			return
		}
		for i := range v.NumField() {
			field := v.Field(i)
			name := path + "." + v.Type().Field(i).Name
			require.False(t, field.IsZero() && name != "collect_result.Raw" && !optional[name], "%s is not filled", name)
			requireFilled(t, field, name)
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Struct && v.Len() > 0 && v.Type() != reflect.TypeFor[Tally]() {
			requireFilled(t, v.Index(0), path)
		}
	}
}

// optional fields stand empty in some value above on purpose; another value fills them.
var optional = map[string]bool{
	"parse_result.Document.Stored.Offset": true, "parse_result.Document.Stored.Length": true,
	"deliver_input.Document.Stored.Offset": true, "deliver_input.Document.Stored.Length": true,
}

func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, got, 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err, "write it with -update")
	require.Equal(t, string(want), string(got))
}
