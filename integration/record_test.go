package integration

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
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
			p.keep(kept)
		})
	}
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

// keep writes the histories of all runs of all workflows of the scene, but for workflows that took the same course, event
// by event, as one that was kept before.
func (p *scene) keep(kept map[string]bool) {
	n := map[string]int{}
	for _, info := range p.runs() {
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
	var all []*workflowpb.WorkflowExecutionInfo
	until(p.T, time.Minute, "the end of every workflow of the scene", func() bool {
		list, err := p.fleet.Engine.ListWorkflow(context.Background(), &workflowservice.ListWorkflowExecutionsRequest{
			Namespace: p.fleet.Stack.Namespace, PageSize: 1000,
			Query: fmt.Sprintf(`WorkflowId = %q OR WorkflowId STARTS_WITH %q`, p.id, p.id+"/"),
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
		for _, child := range node {
			anonymise(child)
		}
	}
}
