package integration

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/integration/harness"
	"github.com/weir-collect/weir/integration/sourcesite"
	"github.com/weir-collect/weir/starter"
)

// envRecord turns on TestRecordHistories.
const envRecord = "WEIR_RECORD_HISTORIES"

// replayFixtures is where the replay test of the workflows package reads.
const replayFixtures = "../workflows/testdata/replay"

// TestRecordHistories plays every kind of submission against the real stack and keeps the histories of its workflows, for
// the replay test of package workflows.
//
// Record from the commit that is deployed, never from the branch under test: histories that are recorded anew always fit
// the code that made them, and prove nothing about the workflows that are running when it is deployed.
func TestRecordHistories(t *testing.T) {
	if os.Getenv(envRecord) != "1" {
		t.Skip("set " + envRecord + "=1 on the deployed commit to record histories anew")
	}
	kept := map[string]bool{}
	for _, play := range plays {
		t.Run(play.name, func(t *testing.T) {
			books := site(t, "127.0.0.1")
			f := fleet(t, harness.Options{Sources: []harness.Source{
				{Name: "books", Host: books.Host, Ceiling: 1, More: []string{"prefetch: 1", "window: 2"}},
			}})
			p := &scene{T: t, fleet: f, books: books, id: play.name}
			play.play(p)
			p.keep(kept, p.runs())
		})
	}
	t.Run("owner", func(t *testing.T) { recordOwner(t, kept) })
}

// recordOwner plays three runs of the owner of the ceilings, which is one for a whole stack: the first there ever was, with
// every command; one that had one before it that was lost; and one that goes on from a state that was handed over.
func recordOwner(t *testing.T, kept map[string]bool) {
	books := site(t, "127.0.0.1")
	books.SetLatency(200 * time.Millisecond)
	f := ownFleet(t, harness.Options{Sources: []harness.Source{
		{Name: "books", Host: books.Host, Ceiling: 2, More: []string{"prefetch: 1", "window: 2", "pace: 20"}},
	}})
	p := &scene{T: t, fleet: f, books: books, id: "owner"}
	stays, leaves := startWorker(t, f), startWorker(t, f)
	p.submit(pages(12, books))
	p.asked(3)
	one, slower := 1, 10.0
	for _, c := range []struct {
		update string
		in     collection.SourceCommand
	}{
		{collection.UpdatePause, collection.SourceCommand{Reason: "played"}},
		{collection.UpdateSetCeiling, collection.SourceCommand{Ceiling: &one, Until: time.Now().Add(time.Hour)}},
		{collection.UpdateSetPace, collection.SourceCommand{Pace: &slower}},
		{collection.UpdateHoldBreaker, collection.SourceCommand{}},
		{collection.UpdateReleaseBreaker, collection.SourceCommand{}},
		{collection.UpdateResume, collection.SourceCommand{}},
	} {
		c.in.Source = "books"
		command(t, f, c.update, c.in)
	}
	p.ends(collection.StateComplete)
	require.NoError(t, leaves.Stop())

	first := p.owner("")
	require.NoError(t, f.Engine.TerminateWorkflow(context.Background(), collection.CeilingsID, "", "played"))
	second := p.owner(first)
	command(t, f, collection.UpdateSetCeiling, collection.SourceCommand{Source: "books", Ceiling: &one})

	state, err := os.ReadFile("../workflows/testdata/wire/ceilings_input.json")
	require.NoError(t, err)
	third, err := f.Engine.ExecuteWorkflow(context.Background(), client.StartWorkflowOptions{
		ID: collection.CeilingsID, TaskQueue: collection.QueueFleet,
		WorkflowIDConflictPolicy: enumspb.WORKFLOW_ID_CONFLICT_POLICY_TERMINATE_EXISTING,
	}, collection.WorkflowCeilings, json.RawMessage(state))
	require.NoError(t, err)
	require.NotEqual(t, second, third.GetRunID())
	until(t, time.Minute, "the configuration", func() bool {
		r := row(t, f, "books")
		return r.Ceiling == 2 && r.CeilingOverride == nil // the override that was handed over has run out
	})
	command(t, f, collection.UpdatePause, collection.SourceCommand{Source: "books", Reason: "played"})
	require.NoError(t, stays.Stop())
	require.NoError(t, f.Engine.TerminateWorkflow(context.Background(), collection.CeilingsID, "", "played"))
	p.keep(kept, p.list(fmt.Sprintf(`WorkflowId = %q`, collection.CeilingsID)))
}

// owner is the run that owns the ceilings now, once its sources are configured and it is another than the one before.
func (p *scene) owner(before string) string {
	run := ""
	until(p.T, time.Minute, "an owner", func() bool {
		info, err := p.fleet.Engine.DescribeWorkflowExecution(context.Background(), collection.CeilingsID, "")
		require.NoError(p, err)
		run = info.GetWorkflowExecutionInfo().GetExecution().GetRunId()
		if run == before {
			return false
		}
		rows, err := p.fleet.Client.Sources(context.Background())
		return err == nil && len(rows) > 0
	})
	return run
}

// plays are the scenes, by the name of their submissions and fixtures.
var plays = []struct {
	name string
	play func(*scene)
}{
	{"delivered", playDelivered},
	{"failed", playFailed},
	{"cancelled", playCancelled},
	{"worker-lost", playWorkerLost},
	{"empty", playEmpty},
	{"invalid", playInvalid},
	{"terminated", playTerminatedAndAgain},
	{"reset", playReset},
	{"reset-cancelled", playResetAndCancelled},
	{"replayed", playReplayed},
	{"replay-cancelled", playReplayCancelled},
	{"shipped", playShipped},
}

// scene is one submission that is played to be recorded.
type scene struct {
	*testing.T
	fleet *harness.Fleet
	books *sourcesite.Site
	id    string
}

func (p *scene) submit(content string) {
	submit(p.T, p.fleet, starter.Request{ID: p.id, File: strings.NewReader(content), FileName: "records.csv"})
}

// asked waits until the site has been asked for n pages.
func (p *scene) asked(n int) {
	until(p.T, time.Minute, "requests", func() bool { return p.books.Ledger().Paths >= n })
}

func (p *scene) ends(want collection.State) {
	require.Equal(p, want, wait(p.T, p.fleet, p.id, time.Minute).State)
}

func playDelivered(p *scene) {
	startWorker(p.T, p.fleet)
	p.submit(pages(3, p.books))
	p.ends(collection.StateComplete)
}

// playFailed has a record that is gone, one that cannot be parsed, one that is forbidden and one that is throttled first.
func playFailed(p *scene) {
	p.books.SetAnswer(func(w http.ResponseWriter, r *http.Request) bool {
		switch r.URL.Path {
		case "/page/0":
			http.NotFound(w, r)
		case "/page/1":
			w.Header().Set("Content-Type", "text/html")
		case "/page/2":
			http.Error(w, "no", http.StatusForbidden)
		case "/page/3":
			if p.books.Asked("/page/3") > 1 {
				return false
			}
			w.Header().Set("Retry-After", "1")
			http.Error(w, "later", http.StatusTooManyRequests)
		}
		return true
	})
	startWorker(p.T, p.fleet)
	p.submit(pages(4, p.books))
	p.ends(collection.StatePartiallyFailed)
}

func playCancelled(p *scene) {
	p.books.SetLatency(time.Second)
	startWorker(p.T, p.fleet)
	p.submit(pages(6, p.books))
	p.asked(2)
	require.NoError(p, p.fleet.Client.Cancel(context.Background(), p.id, "played"))
	p.ends(collection.StateCancelled)
}

func playWorkerLost(p *scene) {
	p.books.SetLatency(2 * time.Second)
	w := startWorker(p.T, p.fleet)
	p.submit(pages(3, p.books))
	p.asked(2)
	w.Kill()
	startWorker(p.T, p.fleet)
	p.ends(collection.StateComplete)
}

// playEmpty starts a submission of a file without rows, which weir's own client would refuse.
func playEmpty(p *scene) {
	key := collection.UploadKey("acme", p.id, "records.csv")
	_, err := p.fleet.Store.Put(context.Background(), key, []byte("url\n"), "text/csv")
	require.NoError(p, err)
	startWorker(p.T, p.fleet)
	_, err = p.fleet.Engine.ExecuteWorkflow(context.Background(),
		client.StartWorkflowOptions{ID: p.id, TaskQueue: collection.QueueWorkflows},
		collection.WorkflowSubmission, collection.SubmissionInput{Customer: "acme", Upload: key})
	require.NoError(p, err)
	p.ends(collection.StateFailed)
}

func playInvalid(p *scene) {
	startWorker(p.T, p.fleet)
	p.submit("url\nhttp://unknown.example/1\nhttp://unknown.example/2\n")
	p.ends(collection.StatePartiallyFailed)
}

// playTerminatedAndAgain submits again after the first run was terminated: what was delivered before is found.
func playTerminatedAndAgain(p *scene) {
	p.books.SetLatency(500 * time.Millisecond)
	startWorker(p.T, p.fleet)
	p.submit(pages(4, p.books))
	until(p.T, time.Minute, "two deliveries", func() bool { return deliveredOf(p.T, p.fleet, p.id) >= 2 })
	require.NoError(p, p.fleet.Engine.TerminateWorkflow(context.Background(), p.id, "", "played"))
	p.submit(pages(4, p.books))
	p.ends(collection.StateComplete)
}

func playReset(p *scene) {
	p.books.SetLatency(500 * time.Millisecond)
	startWorker(p.T, p.fleet)
	p.submit(pages(4, p.books))
	p.asked(2)
	resetToStart(p.T, p.fleet, p.id)
	p.ends(collection.StateComplete)
}

func playResetAndCancelled(p *scene) {
	p.books.SetLatency(time.Second)
	startWorker(p.T, p.fleet)
	p.submit(pages(6, p.books))
	p.asked(2)
	resetToStart(p.T, p.fleet, p.id)
	untilEvent(p.T, p.fleet, p.id, enumspb.EVENT_TYPE_START_CHILD_WORKFLOW_EXECUTION_FAILED)
	require.NoError(p, p.fleet.Client.Cancel(context.Background(), p.id, "played"))
	p.ends(collection.StateCancelled)
}

// playReplayed has two pages that hold nothing: from the kept bytes they are dead again, collected again they are not. A third
// replay finds nothing to do.
func playReplayed(p *scene) {
	p.emptyPages()
	startWorker(p.T, p.fleet)
	p.submit(pages(3, p.books))
	p.ends(collection.StatePartiallyFailed)
	p.replays(collection.ReplayFromRaw)
	p.books.SetAnswer(nil)
	p.replays(collection.ReplayFromCollect)
	p.replays("")
	p.ends(collection.StateComplete)
}

func playReplayCancelled(p *scene) {
	p.emptyPages()
	startWorker(p.T, p.fleet)
	p.submit(pages(5, p.books))
	p.ends(collection.StatePartiallyFailed)
	p.books.SetAnswer(nil)
	p.books.SetLatency(2 * time.Second)
	asked := p.books.Ledger().Requests
	started, err := p.fleet.Client.Replay(context.Background(), collection.ReplayInput{Submission: p.id, From: collection.ReplayFromCollect})
	require.NoError(p, err)
	until(p.T, time.Minute, "a request", func() bool { return p.books.Ledger().Requests > asked+1 })
	require.NoError(p, p.fleet.Engine.CancelWorkflow(context.Background(), started.ID, ""))
	_, err = p.fleet.Client.WaitReplay(context.Background(), started, nil)
	require.ErrorIs(p, err, starter.ErrReplayCancelled)
}

// emptyPages lets all pages but the first hold nothing that a rule could find.
func (p *scene) emptyPages() {
	p.books.SetAnswer(func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == "/page/0" {
			return false
		}
		w.Header().Set("Content-Type", "text/html")
		return true
	})
}

func (p *scene) replays(from collection.ReplayFrom) {
	started, err := p.fleet.Client.Replay(context.Background(), collection.ReplayInput{Submission: p.id, From: from})
	require.NoError(p, err)
	_, err = p.fleet.Client.WaitReplay(context.Background(), started, nil)
	require.NoError(p, err)
}

// keep writes the histories of runs of the scene's workflows, but for workflows that took the same course, event
// by event, as one that was kept before.
func (p *scene) keep(kept map[string]bool, runs []*workflowpb.WorkflowExecutionInfo) {
	n := map[string]int{}
	for _, info := range runs {
		h := historyOf(p.T, p.fleet, info.GetExecution().GetWorkflowId(), info.GetExecution().GetRunId())
		kind := strings.ToLower(info.GetType().GetName())
		course := kind
		for _, e := range h.GetEvents() {
			course += " " + e.GetEventType().String()
		}
		if kept[course] {
			continue
		}
		kept[course] = true
		n[kind]++
		body, err := fixture(h)
		require.NoError(p, err)
		require.NoError(p, os.MkdirAll(replayFixtures, 0o755))
		name := filepath.Join(replayFixtures, fmt.Sprintf("%s-%s-%d.json", p.id, kind, n[kind]))
		require.NoError(p, os.WriteFile(name, body, 0o644))
	}
}

// runs lists all runs of the scene's workflows once all of them have ended, in the order of their start.
func (p *scene) runs() []*workflowpb.WorkflowExecutionInfo {
	return p.list(fmt.Sprintf(`WorkflowId = %q OR WorkflowId STARTS_WITH %q`, p.id, p.id+"/"))
}

func (p *scene) list(query string) []*workflowpb.WorkflowExecutionInfo {
	var all []*workflowpb.WorkflowExecutionInfo
	until(p.T, time.Minute, "the end of every workflow of the scene", func() bool {
		list, err := p.fleet.Engine.ListWorkflow(context.Background(), &workflowservice.ListWorkflowExecutionsRequest{
			Namespace: p.fleet.Stack.Namespace, PageSize: 1000, Query: query,
		})
		require.NoError(p, err)
		all = list.GetExecutions()
		for _, info := range all {
			if info.GetStatus() == enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING {
				return false
			}
		}
		return len(all) > 0
	})
	sort.SliceStable(all, func(i, j int) bool { return all[i].GetStartTime().AsTime().Before(all[j].GetStartTime().AsTime()) })
	return all
}

// fixture is a history as JSON, one event per line, without what names the machine that made it.
func fixture(h *historypb.History) ([]byte, error) {
	lines := make([]string, len(h.GetEvents()))
	for i, event := range h.GetEvents() {
		body, err := protojson.Marshal(event)
		if err != nil {
			return nil, err
		}
		var tree any
		decoder := json.NewDecoder(bytes.NewReader(body))
		decoder.UseNumber()
		if err := decoder.Decode(&tree); err != nil {
			return nil, err
		}
		anonymise(tree)
		if body, err = json.Marshal(tree); err != nil {
			return nil, err
		}
		lines[i] = string(body)
	}
	return []byte("{\"events\":[\n" + strings.Join(lines, ",\n") + "\n]}\n"), nil
}

func anonymise(node any) {
	switch node := node.(type) {
	case []any:
		for _, child := range node {
			anonymise(child)
		}
	case map[string]any:
		if _, ok := node["identity"].(string); ok {
			node["identity"] = "worker"
		}
		if node["kind"] == "TASK_QUEUE_KIND_STICKY" {
			node["name"] = "sticky" // the engine's own name for it holds the host's
		}
		if data, ok := node["data"].(string); ok {
			node["data"] = anonymousPayload(data)
		}
		for _, child := range node {
			anonymise(child)
		}
	}
}

// workerName is the name by which a worker process asks for permits: it holds the host's.
var workerName = regexp.MustCompile(`weir@[^":]+:`)

// anonymousPayload is a payload's data, in base64, without the names of hosts. What is not base64 stays as it is.
func anonymousPayload(data string) string {
	plain, err := base64.StdEncoding.DecodeString(data)
	if err != nil || !workerName.Match(plain) {
		return data
	}
	return base64.StdEncoding.EncodeToString(workerName.ReplaceAll(plain, []byte("worker:")))
}
