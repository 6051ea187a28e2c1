package integration

import (
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/integration/harness"
	"github.com/weir-collect/weir/internal/urlkey"
)

// faultyProgram builds this test program with the faults that only drills have.
func faultyProgram(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "faulty")
	out, err := exec.CommandContext(t.Context(), "go", "test", "-c", "-tags", "faultinjection", "-o", program, ".").CombinedOutput()
	require.NoError(t, err, "%s", out)
	return program
}

// TestDrillPoison gives a batch one record that panics the parser, and another one that kills its worker each time: the
// first ends at once, the second once it has taken three workers along, and the others of the batch are delivered (B06, E10).
// The site of the second takes longer to answer than a worker may be silent, so that each lost worker has others in hand, some
// in the middle of their requests, and some that wait for a permit: they are lost together with it each time, and are not held
// for killers.
func TestDrillPoison(t *testing.T) {
	longDrill(t)
	program := faultyProgram(t)
	const silence = 2 * time.Second
	for fault, c := range map[string]struct {
		want    collection.Reason
		records int
		latency time.Duration
	}{
		"panic": {collection.ReasonInternal, 500, 0},
		"kill":  {collection.ReasonWorkerKiller, 160, silence + silence/4},
	} {
		want, records := c.want, c.records
		t.Run(fault, func(t *testing.T) {
			books := site(t, "127.0.0.1")
			books.SetLatency(c.latency)
			f := ownFleet(t, harness.Options{
				Sources: []harness.Source{{Name: "books", Host: books.Host, Ceiling: 4, Timeout: 4 * silence}}, HeartbeatTimeout: silence, LogLevel: "error",
			})
			key, err := urlkey.Key(books.URL + "/page/123")
			require.NoError(t, err)
			poison := collection.RecordID("books", key)
			stage := map[string]string{"panic": "parser", "kill": "collector"}[fault]
			done, crashes := make(chan struct{}), make(chan int, 1)
			go func() { crashes <- keepAlive(f, program, fault+" "+stage+" "+poison, done) }()
			defer func() {
				close(done)
				t.Logf("figure: %d workers crashed", <-crashes)
			}()
			submission := submitCSV(t, f, pages(records, books))
			status := wait(t, f, submission, 10*time.Minute)
			require.Equal(t, records-1, status.Outcomes.Of(collection.OutcomeDelivered), "%+v", status.Outcomes)
			dead := 0
			for _, row := range ledgerOf(t, f, submission) {
				if row.Outcome != collection.OutcomeDelivered {
					dead++
					require.Equal(t, poison, row.Record)
					require.Equal(t, want, row.Reason, row.Detail)
				}
			}
			require.Equal(t, 1, dead)
			t.Logf("figure: one record of %d %ss: it ends as %s, the %d others are delivered", records, map[string]string{
				"panic": "panics the parser", "kill": "kills its worker"}[fault], want, records-1)
		})
	}
}

// keepAlive starts a worker again as often as it dies, until done is closed; it returns how often that was.
func keepAlive(f *harness.Fleet, program, fault string, done <-chan struct{}) (crashes int) {
	for {
		w, err := f.StartFaulty(program, fault)
		if err != nil {
			return crashes
		}
		select {
		case <-w.Ended():
			crashes++
		case <-done:
			return crashes
		}
	}
}
