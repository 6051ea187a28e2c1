package workers

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/egress"
	"github.com/weir-collect/weir/internal/lease"
)

const (
	fault = collection.ReasonEgressUnavailable
	fine  = collection.Reason("")
)

// bookshop is asked by two proxies.
var bookshop = collection.Source{Name: "books", Egress: collection.EgressUse{Use: []string{"eu-1", "eu-2"}}}

// wayfarer is one process with egresses, renewing with a table of its own.
type wayfarer struct {
	*leased
	egresses *Egresses
}

func wayfarers(t *testing.T, names ...string) []wayfarer {
	table := aTable(t, books)
	crew := make([]wayfarer, len(names))
	for i, name := range names {
		r := leaseFrom(t, table, name, 100, []lease.SourceConfig{books})
		crew[i] = wayfarer{r, NewEgresses(r.Permits)}
		r.renew()
		r.woken()
	}
	return crew
}

// choose picks an egress for a record of the bookshop.
func (w wayfarer) choose(avoid string) string {
	name, err := w.egresses.Choose(bookshop, collection.Record{}, avoid)
	require.NoError(w.t, err)
	return name
}

// after lets time pass, renewing as the renewer does.
func (w wayfarer) after(d time.Duration) {
	for range d / (ttl / 3) {
		time.Sleep(ttl / 3)
		w.renew()
	}
	w.woken()
}

func (w wayfarer) report(name string, reasons ...collection.Reason) {
	for _, reason := range reasons {
		w.egresses.Report(name, reason)
	}
}

func TestChooseTakesTurns(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := wayfarers(t, "w")[0]
		require.Equal(t, []string{"eu-1", "eu-2", "eu-1", "eu-1"}, []string{w.choose(""), w.choose(""), w.choose(""), w.choose("eu-2")})
		name, err := w.egresses.Choose(collection.Source{Name: "films"}, collection.Record{}, "")
		require.NoError(t, err)
		require.Equal(t, collection.EgressDirect, name)
	})
}

func TestChooseIsSticky(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := wayfarers(t, "w")[0]
		sticky := bookshop
		sticky.Egress.Sticky = "{account}"
		chosen := map[string]bool{}
		for _, account := range []string{`{"account":1}`, `{"account":2}`, `{"account":3}`, `{"account":4}`, `{"account":5}`} {
			rec := collection.Record{Fields: []byte(account)}
			first, err := w.egresses.Choose(sticky, rec, "")
			require.NoError(t, err)
			for range 3 {
				again, err := w.egresses.Choose(sticky, rec, "")
				require.NoError(t, err)
				require.Equal(t, first, again)
			}
			chosen[first] = true
		}
		require.Len(t, chosen, 2)
		_, err := w.egresses.Choose(sticky, collection.Record{}, "")
		require.NoError(t, err, "it is refused when its request is built")
	})
}

// TestWhatCounts: only faults of the egress count against it, and only what came through counts for it.
func TestWhatCounts(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := wayfarers(t, "w")[0]
		for reason, want := range map[collection.Reason]lease.EgressReport{
			fine:                                {Successes: 1},
			collection.ReasonBlocked:            {Successes: 1},
			collection.ReasonThrottled:          {Successes: 1},
			collection.ReasonServerError:        {Successes: 1},
			collection.ReasonGone:               {Successes: 1},
			collection.ReasonTimeout:            {Successes: 1},
			collection.ReasonReset:              {Successes: 1},
			collection.ReasonDecodeError:        {Successes: 1},
			collection.ReasonEgressUnavailable:  {Faults: 1, Trailing: 1},
			collection.ReasonEgressAuth:         {Faults: 1, Trailing: 1},
			collection.ReasonEgressRefused:      {Faults: 1, Trailing: 1},
			collection.ReasonConnectFailed:      {},
			collection.ReasonDNSNotFound:        {},
			collection.ReasonBadRequest:         {},
			collection.ReasonLeaseLost:          {},
			collection.ReasonStoreUnavailable:   {},
			collection.ReasonPrivateAddress:     {},
			collection.ReasonRobotsDenied:       {},
			collection.Reason("of_a_later_day"): {},
		} {
			w.report("eu-1", reason)
			w.report("direct", reason)
			w.report("", reason)
			var reports []lease.EgressReport
			if want != (lease.EgressReport{}) {
				want.Egress = "eu-1"
				reports = append(reports, want)
			}
			require.Equal(t, reports, w.egresses.reports(), reason)
		}
		w.report("eu-2", fault, fine, fault, fault)
		w.report("eu-1", fault)
		request := w.renew()
		require.Equal(t, []lease.EgressReport{
			{Egress: "eu-1", Faults: 1, Trailing: 1}, {Egress: "eu-2", Successes: 1, Faults: 3, Trailing: 2},
		}, request.Egress, "they go with the renewal")
		require.Empty(t, w.renew().Egress, "once")
	})
}

// C3 41: five in a row retire an egress, the work moves to the other, and with both retired it waits; it never goes out
// directly. After its probation one worker tries it with one request.
func TestCase41RetiredAndReturned(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := wayfarers(t, "w")[0]
		w.report("eu-1", fault, fault, fault, fault, fault)
		require.True(t, w.woken(), "the rest of the fleet should know")
		w.renew()
		for range 10 {
			require.Equal(t, "eu-2", w.choose(""))
			require.Equal(t, "eu-2", w.choose("eu-2"), "the other is retired")
		}
		w.report("eu-2", fault, fault, fault, fault, fault)
		w.renew()
		name, err := w.egresses.Choose(bookshop, collection.Record{}, "")
		require.Empty(t, name)
		var retired *egress.RetiredError
		require.ErrorAs(t, err, &retired)

		w.after(time.Minute) // the first probation
		require.Equal(t, "eu-1", w.choose(""), "a trial")
		require.Equal(t, "eu-2", w.choose(""), "another one")
		_, err = w.egresses.Choose(bookshop, collection.Record{}, "")
		require.Error(t, err, "one request each, however many answers repeat it")
		w.renew()
		_, err = w.egresses.Choose(bookshop, collection.Record{}, "")
		require.Error(t, err)

		w.report("eu-1", fine)
		require.True(t, w.woken())
		w.report("eu-2", fault)
		w.renew()
		for range 3 {
			require.Equal(t, "eu-1", w.choose(""))
		}
		w.after(time.Minute)
		require.Equal(t, "eu-1", w.choose(""), "the second probation is twice as long")
		w.after(time.Minute)
		require.Equal(t, "eu-2", w.choose(""))
	})
}

// TestTrialThatProvesNothing: one that we ended ourselves is made again at once, one of which nobody hears, later.
func TestTrialThatProvesNothing(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := wayfarers(t, "w")[0]
		w.report("eu-1", fault, fault, fault, fault, fault)
		w.renew()
		w.report("eu-1", fine)
		require.Empty(t, w.egresses.reports(), "of a request from before the retirement")
		w.after(time.Minute)
		require.Equal(t, "eu-1", w.choose(""))
		w.report("eu-1", collection.ReasonLeaseLost)
		require.Equal(t, "eu-1", w.choose(""))
		require.Equal(t, "eu-2", w.choose(""))
		w.after(trialAgain)
		require.Equal(t, "eu-1", w.choose(""))
	})
}

// TestSlowTrial: a request through an egress on trial takes longer than the trial is this process's own. It is made once, what
// it meets is told all the same, and brings the egress back for everybody; or keeps it away from everybody, for longer.
func TestSlowTrial(t *testing.T) {
	for name, reason := range map[string]collection.Reason{"success": fine, "fault": fault} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				crew := wayfarers(t, "a", "b")
				a, b := crew[0], crew[1]
				both := func(d time.Duration) {
					for range d / (ttl / 3) {
						time.Sleep(ttl / 3)
						a.renew()
						b.renew()
					}
				}
				a.report("eu-1", fault, fault, fault, fault, fault)
				a.renew()
				both(time.Minute + ttl/3)
				require.Equal(t, "eu-1", a.choose(""), "a has the trial")
				require.Equal(t, []string{"eu-2", "eu-2"}, []string{b.choose(""), b.choose("")})
				both(40 * time.Second)
				require.Equal(t, []string{"eu-2", "eu-2"}, []string{a.choose(""), a.choose("")}, "now b has it")
				a.woken()
				a.report("eu-1", reason, fault)
				require.True(t, a.woken())
				require.Equal(t, 1, a.egresses.health["eu-1"].seen.Successes+a.egresses.health["eu-1"].seen.Faults, "the trial, not what was before")
				a.renew()
				b.renew()
				state := b.table.ViewEgresses(time.Now())[0]
				if reason == fine {
					require.Equal(t, lease.EgressGood, state.State)
					require.ElementsMatch(t, []string{"eu-1", "eu-2"}, []string{b.choose(""), b.choose("")})
				} else {
					require.Equal(t, 2*time.Minute, time.Until(state.Until))
					require.Equal(t, []string{"eu-2", "eu-2"}, []string{b.choose(""), b.choose("")})
				}
				both(3 * time.Minute)
				require.ElementsMatch(t, []string{"eu-1", "eu-2"}, []string{b.choose(""), b.choose("")}, "it, or its next trial")
			})
		})
	}
}

// TestDoubt: an egress that fails is passed over until the owner has heard, if there is another.
func TestDoubt(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := wayfarers(t, "w")[0]
		w.report("eu-1", fault)
		require.False(t, w.woken(), "one fault is not worth a renewal of its own")
		for range 3 {
			require.Equal(t, "eu-2", w.choose(""))
		}
		w.report("eu-1", fault)
		require.True(t, w.woken())
		w.report("eu-2", fault, fault)
		w.woken()
		require.NotEmpty(t, w.choose(""), "rather a doubtful one than none")
		w.report("eu-2", fine)
		require.Equal(t, "eu-2", w.choose(""))
		w.renew()
		require.ElementsMatch(t, []string{"eu-1", "eu-2"}, []string{w.choose(""), w.choose("")}, "the owner thinks otherwise")
	})
}

// TestDoubtOfASession: what is sticky stays after one fault, and goes after two.
func TestDoubtOfASession(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := wayfarers(t, "w")[0]
		sticky := bookshop
		sticky.Egress.Sticky = "{account}"
		choose := func() string {
			name, err := w.egresses.Choose(sticky, collection.Record{Fields: []byte(`{"account":1}`)}, "")
			require.NoError(t, err)
			return name
		}
		home := choose()
		w.report(home, fault)
		require.Equal(t, home, choose())
		w.report(home, fault)
		require.NotEqual(t, home, choose())
		w.renew()
		require.Equal(t, home, choose(), "the owner thinks otherwise")
	})
}

// TestStaleAnswerChangesNothing: what an answer that came too late says of egresses is not news.
func TestStaleAnswerChangesNothing(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := wayfarers(t, "w")[0]
		w.report("eu-1", fault, fault, fault, fault, fault)
		answer := w.table.Renew(time.Now(), w.request())
		time.Sleep(ttl)
		w.receive(answer)
		require.Equal(t, []string{"eu-2", "eu-2"}, []string{w.choose(""), w.choose("")}, "still in doubt")
	})
}

// TestDeadEgressIsOutWithinTenFailures: a proxy dies under a fleet at work; each worker renews when it is due or has asked
// for it. The failures are counted until nobody chooses the dead one any more.
func TestDeadEgressIsOutWithinTenFailures(t *testing.T) {
	for _, tt := range []struct{ workers, ways, most int }{{1, 2, 10}, {1, 4, 10}, {3, 4, 10}, {5, 3, 10}, {10, 4, 15}} {
		bubbleOf(t, func(t *testing.T) {
			names := make([]string, tt.workers)
			for i := range names {
				names[i] = string(rune('a' + i))
			}
			crew := wayfarers(t, names...)
			src := bookshop
			src.Egress.Use = []string{"dead", "eu-2", "eu-3", "eu-4"}[:tt.ways]
			failures := 0
			for range 30 * 50 { // half a minute at 50 requests per second and worker
				for _, w := range crew {
					name, err := w.egresses.Choose(src, collection.Record{}, "")
					require.NoError(t, err)
					if name == "dead" {
						failures++
						w.report(name, fault)
					} else {
						w.report(name, fine)
					}
					if due, _ := w.renewAt(); w.woken() || !time.Now().Before(due) {
						w.renew()
					}
				}
				time.Sleep(20 * time.Millisecond)
			}
			t.Logf("figure: %d workers, %d egresses, one dead: %d failures", tt.workers, tt.ways, failures)
			require.LessOrEqual(t, failures, tt.most)
			for _, w := range crew {
				for range 2 * tt.ways {
					name, err := w.egresses.Choose(src, collection.Record{}, "")
					require.NoError(t, err)
					require.NotEqual(t, "dead", name)
				}
			}
		})
	}
}

// bubbleOf is a bubble inside a test that has several.
func bubbleOf(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, test)
}

// TestEgressesLaws: whatever happens, only listed egresses are chosen, no retired one beyond its trial, and nothing that was
// reported is told twice.
func TestEgressesLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		now := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
		clock := func() time.Time { return now }
		e := NewEgresses(NewPermits(lease.NewHolder("w"), nil, 1, clock))
		names := rapid.SampledFrom([]string{"eu-1", "eu-2"})
		bad, told, counted := map[string]bool{}, 0, 0
		t.Repeat(map[string]func(*rapid.T){
			"choose": func(t *rapid.T) {
				name, err := e.Choose(bookshop, collection.Record{}, rapid.SampledFrom([]string{"", "eu-1"}).Draw(t, "avoid"))
				if err != nil {
					require.True(t, bad["eu-1"] && bad["eu-2"], "one of them is good")
					return
				}
				require.Contains(t, bookshop.Egress.Use, name)
			},
			"report": func(t *rapid.T) {
				name := names.Draw(t, "name")
				reason := rapid.SampledFrom([]collection.Reason{fine, fault, collection.ReasonLeaseLost}).Draw(t, "reason")
				if reason != collection.ReasonLeaseLost && !bad[name] {
					counted++
				}
				e.Report(name, reason)
			},
			"renew": func(t *rapid.T) {
				for _, r := range e.reports() {
					require.LessOrEqual(t, r.Trailing, r.Faults)
					if !bad[r.Egress] {
						told += r.Successes + r.Faults
					}
				}
				require.Equal(t, counted, told)
				bad = map[string]bool{}
				var states []lease.EgressState
				for _, name := range bookshop.Egress.Use {
					if rapid.Bool().Draw(t, "bad") {
						bad[name] = true
						states = append(states, lease.EgressState{Egress: name, Trial: rapid.Bool().Draw(t, "trial")})
					}
				}
				e.receive(states)
			},
			"wait": func(t *rapid.T) { now = now.Add(time.Duration(rapid.IntRange(0, 90).Draw(t, "seconds")) * time.Second) },
		})
	})
}
