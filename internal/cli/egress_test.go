package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weir-collect/weir/internal/cli/screen"
	"github.com/weir-collect/weir/internal/lease"
)

// waysOut are one egress in every state.
func waysOut() []lease.EgressView {
	at := func(d time.Duration) time.Time { return noon.Add(d) }
	return []lease.EgressView{
		{Egress: "direct", State: lease.EgressGood, FaultsInRow: 1, Requests: 1200, Faults: 7, SeenAt: noon},
		{Egress: "london", State: lease.EgressRetired, Since: at(-3 * time.Minute), Until: at(57 * time.Second), Retirements: 2, SeenAt: noon},
		{Egress: "lyon", State: lease.EgressRetired, Since: at(-2 * time.Minute), Until: at(-time.Minute), Retirements: 1, SeenAt: noon},
		{Egress: "paris", State: lease.EgressOnTrial, Since: at(-time.Hour), Until: at(20 * time.Second), Retirements: 1, Trial: "7@ops1", SeenAt: noon},
		{Egress: "rome", State: lease.EgressGood, Since: at(-10 * time.Second), SeenAt: noon},
	}
}

func TestEgress(t *testing.T) {
	t.Parallel()
	s := ask(t, &fakeClient{ways: waysOut()}, "egress")
	require.Equal(t, session{stdout: text(`
EGRESS  STATE     IN A ROW            FAULTS  SINCE      UNTIL
direct  good             1  7 of 1,200 (0 %)
london  retired                               3 min ago  in 57 s
lyon    retired                               2 min ago  now
paris   on trial                              1 h ago    in 20 s
rome    good             0                    10 s ago

london  retired, since it failed too often: nobody uses it until 2026-01-02 12:00:57 UTC (in 57 s); retired 2 times in a row
lyon    retired, and due for a trial with the next renewal of a worker
paris   retired; 7@ops1 may try it with one request until 2026-01-02 12:00:20 UTC (in 20 s)
`)}, s)
}

func TestEgressAsJSON(t *testing.T) {
	t.Parallel()
	var got []lease.EgressView
	s := ask(t, &fakeClient{ways: waysOut()}, "egress", "-o", "json")
	require.NoError(t, json.Unmarshal([]byte(s.stdout), &got))
	require.Equal(t, waysOut(), got)
	require.Empty(t, s.stderr)
	require.Equal(t, session{stdout: "[]\n"}, ask(t, &fakeClient{}, "egress", "-o", "json"))
}

// TestEgressTellsOfThoseThatNobodyUses: a proxy that stands in the configuration and in no source is easily forgotten.
func TestEgressTellsOfThoseThatNobodyUses(t *testing.T) {
	t.Parallel()
	w := testWorld(t)
	config := testConfig + "egresses:\n  - {name: london, type: http, address: 'a.example:1'}\n  - {name: oslo, type: http, address: 'b.example:1'}\n"
	require.NoError(t, os.WriteFile(filepath.Join(w.Dir, "weir.yaml"), []byte(config), 0o600))
	s := in(w, (&fakes{client: &fakeClient{ways: waysOut()}}).edges(), "egress")
	require.Zero(t, s.code)
	require.Equal(t, "configured here, and used by no worker within the last day: oslo\n", s.stderr)
	s = in(w, (&fakes{client: &fakeClient{}}).edges(), "egress")
	require.Equal(t, session{stderr: "no worker has used any egress within the last day\n"}, s)
	s = ask(t, &fakeClient{}, "egress")
	require.Equal(t, session{stderr: "no worker has used any egress within the last day, and the configuration lists none: its sources are asked directly\n"}, s)
}

func TestEgressMeetsErrors(t *testing.T) {
	t.Parallel()
	s := ask(t, &fakeClient{err: notThere("no worker has asked")}, "egress")
	require.Equal(t, session{code: ExitNotFound,
		stderr: "weir: there is no table of sources yet, since no worker has asked for permits: start one with weir worker\n"}, s)
	down := errors.New("ask for the egresses: does a worker with the role fleet run? (context deadline exceeded)")
	require.Equal(t, session{code: ExitFailure, stderr: "weir: " + down.Error() + "\n"}, ask(t, &fakeClient{err: down}, "egress"))
}

// TestEgressCannotSteer: whatever a worker calls itself or an egress, it is shown and does nothing.
func TestEgressCannotSteer(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		ways := waysOut()
		ways[3].Egress, ways[3].Trial = rapid.String().Draw(t, "name"), rapid.String().Draw(t, "worker")
		ways[0].State = lease.EgressStatus(rapid.String().Draw(t, "state"))
		var out bytes.Buffer
		width := rapid.IntRange(0, 120).Draw(t, "width")
		showEgresses(screen.NewTerminal(&out, width, screen.Options{NoColour: true}), ways, noon)
		for _, r := range out.String() {
			require.True(t, r == '\n' || unicode.IsPrint(r), "%q", r)
		}
	})
}
