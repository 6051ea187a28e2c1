package report_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/internal/sizing"
	"github.com/weir-collect/weir/internal/sizing/report"
)

var update = flag.Bool("update", false, "write the golden files anew; read the difference before you keep it")

// golden compares with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}

func text(t *testing.T, f sizing.Findings) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, report.New(f).Text(&out))
	return out.String()
}

func TestText(t *testing.T) {
	t.Parallel()
	golden(t, "experiment.txt", text(t, experiment()))
}

func TestTextOfEverything(t *testing.T) {
	t.Parallel()
	golden(t, "everything.txt", text(t, everything()))
}

// everything has all optional sections, and the notes that warn.
func everything() sizing.Findings {
	f := experiment()
	f.Params.JobCosts = []sizing.JobCost{
		{Name: "engine actions", UnitsPerJob: 9, DollarsPerUnit: 0.00005}, {Name: "calls to third parties", UnitsPerJob: 2, DollarsPerUnit: 0.01},
	}
	f.Params.Customers = []sizing.Customer{{Name: "acme", Share: 1, Weight: 1}}
	f.Params.Sources = []sizing.Source{{Name: "shop", Share: 1, Ceiling: 9}}
	f.Strict = 0
	f.Elastic.Smallest = sizing.Shared{}
	now := shared(31, 1000, 700, 930)
	now.Customers = []*sizing.Histogram{sizing.NewHistogram()}
	now.PerCustomer = []sizing.Count{{Jobs: 1000, Within: 700}}
	now.Sources = []*sizing.Histogram{sizing.NewHistogram()}
	f.Shared = &sizing.Sized{Recommended: now}
	f.Replay = &sizing.ReplayFindings{
		Jobs: 12_345, Batches: 1030, Days: 92.4,
		Recommended: sizing.Replayed{Workers: 31, Wait: 9.1, Within: 0.91, Months: 4, KeptMonths: 1},
		Smallest:    sizing.Replayed{Workers: 44, Wait: 4.9, Within: 0.951, Months: 4, KeptMonths: 3, Kept: true},
	}
	return f
}

// TestPublishedPrices (K08, K09, Q04): what the experiment costs, and what a smaller fleet would save.
func TestPublishedPrices(t *testing.T) {
	t.Parallel()
	r := report.New(experiment())
	require.Equal(t, 520.0, r.Formula.Dollars)
	require.Equal(t, 2015.0, r.Simulated.Dollars)
	require.Equal(t, 1495.0, r.Prices.Promise)
	require.Equal(t, 130.0, r.Prices.Strict)
	i := slices.IndexFunc(r.Prices.Smaller, func(x report.Trade) bool { return x.Workers == 20 })
	smaller := r.Prices.Smaller[i]
	require.Equal(t, 715.0, smaller.Saves)
	require.InDelta(t, 2759, smaller.MoreLate, 1)
	require.InDelta(t, 3.86, smaller.LatePerDollar, 0.01)
	require.Equal(t, []report.Pace{{Name: "a job every 1 min", Workers: 19, Dollars: 1235, Saves: 780}}, r.Prices.Pacing)

	require.InDelta(t, 1495/21600.0, r.PerJob.Promise, 1e-12)
	require.InDelta(t, 2015/21600.0, r.PerJob.Total, 1e-12)
	require.InDelta(t, 715, r.Elastic.Dollars, 1e-9)
	require.InDelta(t, 11, r.Elastic.PaidWorkers, 1e-9)
}

func TestFormula(t *testing.T) {
	t.Parallel()
	r := report.New(experiment())
	require.InDelta(t, 4.03, r.Formula.Wait, 0.01)
	require.InDelta(t, 9.35, r.Formula.WaitOneLess, 0.01)
	require.Equal(t, 106.4, r.Formula.Batched.Wait.Value)
	require.InDelta(t, 0.9525, *r.Simulated.Exact, 0.0001)
	require.Equal(t, []sizing.Votes{{Workers: 30, Runs: 3, Above: 20}, {Workers: 31, Runs: 14, Above: 30}, {Workers: 32, Runs: 3, Above: 31}}, r.Simulated.Votes)

	f := experiment()
	f.Params.Service = sizing.Service{Shape: sizing.Fixed, MeanMinutes: 10}
	require.Nil(t, report.New(f).Simulated.Exact, "no exact solution for these shapes")
	f.Formula = 6
	require.Zero(t, report.New(f).Formula.WaitOneLess, "five workers never catch up")
	f.Formula = 0
	r = report.New(f)
	require.Equal(t, report.Formula{}, r.Formula)
	require.Zero(t, r.Prices.Promise, "without the formula's fleet there is nothing to compare with")
	require.InDelta(t, 2015/21600.0, r.PerJob.Total, 1e-12)
	require.NotContains(t, text(t, f), "Erlang's formula")
}

func TestPiecesAreCharged(t *testing.T) {
	t.Parallel()
	r := report.New(everything())
	require.Len(t, r.PerJob.Pieces, 2)
	require.InDelta(t, 0.02, r.PerJob.Pieces[1].Dollars, 1e-12)
	require.InDelta(t, 2015/21600.0+0.00045+0.02, r.PerJob.Total, 1e-12)
}

// TestNotes: what a reader must not miss is said, and only then.
func TestNotes(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name   string
		change func(*sizing.Findings)
		want   string
		said   bool
	}{
		{"confidence", func(*sizing.Findings) {}, "31 workers keep the promise over all runs together (95.30 ± 0.10 % in time, 95 % confidence) and in 17 of 20 runs", true},
		{"one run", func(f *sizing.Findings) { f.Params.Seeds = 1 }, "How sure that is cannot be said from one run", true},
		{"several runs", func(*sizing.Findings) {}, "cannot be said from one run", false},
		{"unsteady", func(*sizing.Findings) {}, "Fleets of 4 to 5 never catch up", true},
		{"one unsteady", func(f *sizing.Findings) { f.Points = f.Points[1:] }, "Fleets of 5 never catch up", true},
		{"none unsteady", func(f *sizing.Findings) { f.Points = f.Points[2:] }, "never catch up", false},
		{"strict beyond", func(f *sizing.Findings) { f.Strict = 0 }, "No fleet of the table keeps the promise in every single month", true},
		{"strict inside", func(*sizing.Findings) {}, "No fleet of the table", false},
		{"late elastic", func(f *sizing.Findings) { f.Elastic.Smallest = sizing.Shared{} }, "they arrive too late for it", true},
		{"elastic", func(*sizing.Findings) {}, "too late", false},
		{"formula above", func(f *sizing.Findings) { f.Formula = 32 }, "The formula asks for more workers than the simulation", true},
		{"ceilings", func(f *sizing.Findings) { f.Shared = &sizing.Sized{Recommended: shared(31, 10, 5, 1)} }, "more workers do not help", true},
		{"ceilings and more", func(f *sizing.Findings) {
			f.Shared = &sizing.Sized{Recommended: shared(31, 10, 5, 1), Smallest: shared(37, 10, 10, 1)}
		}, "it takes about 37 workers, by 5 runs, to keep the promise over all jobs", true},
		{"customers", func(f *sizing.Findings) { *f = everything() }, "no fleet keeps the promise for every customer: jobs wait for ceilings", true},
		{"not replayed", func(f *sizing.Findings) { f.NotReplayed = true }, "The recording is not replayed: batches.max cuts its submissions", true},
		{"replayed in part", func(f *sizing.Findings) {
			f.Replay = everything().Replay
			f.Replay.Older = 1234
		}, "its newest 12,345 jobs are replayed, and 1,234 older submissions are not.", true},
		{"replayed whole", func(f *sizing.Findings) { f.Replay = everything().Replay }, "The recording is very large", false},
		{"replayed", func(f *sizing.Findings) { f.Replay = everything().Replay }, "is not replayed", false},
		{"clusters", func(f *sizing.Findings) { f.Replay = everything().Replay }, "Plan for 44.", true},
		{"replay with no fleet", func(f *sizing.Findings) {
			f.Replay = everything().Replay
			f.Replay.Smallest = sizing.Replayed{}
		}, "Under the arrivals as recorded no fleet keeps the promise", true},
		{"an empty beginning", func(f *sizing.Findings) { f.Points[6].Utilisation.Value = 4 / 31.0 },
			"The load keeps 5 workers busy, but the simulation only 4: jobs take so long", true},
		{"a full beginning", func(*sizing.Findings) {}, "jobs take so long", false},
		{"few batches", func(f *sizing.Findings) { f.Params.Promise.Share = 0.99997 }, "The promise lets about 5.63 batches be late", true},
		{"many batches", func(*sizing.Findings) {}, "batches be late", false},
		{"no clusters", func(f *sizing.Findings) {
			f.Replay = everything().Replay
			f.Replay.Smallest.Workers = 29
		}, "Plan for", false},
	} {
		f := experiment()
		row.change(&f)
		notes := strings.Join(report.New(f).Notes, "\n")
		require.Equal(t, row.said, strings.Contains(notes, row.want), "%s: %s", row.name, notes)
	}
}

// TestUtilisationStaysOutOfService (J12): the text explains it under costs, and no note mentions it.
func TestUtilisationStaysOutOfService(t *testing.T) {
	t.Parallel()
	whole := text(t, experiment())
	costs := strings.Index(whole, "\nCosts\n")
	require.Greater(t, strings.Index(whole, "are busy and 26 idle"), costs)
	for _, note := range report.New(experiment()).Notes {
		require.NotContains(t, note, "busy")
	}
}

// TestAnElasticFloorIsNoLargerThanTheFleet: fifty always on of up to thirty-four is no fleet.
func TestAnElasticFloorIsNoLargerThanTheFleet(t *testing.T) {
	t.Parallel()
	f := experiment()
	f.Params.Elastic = &sizing.Elastic{Floor: 50, StartDelayMinutes: 2}
	require.Equal(t, 34, report.New(f).Elastic.Floor)
	require.Contains(t, text(t, f), "(34 always on, 2 min to start): up to about 34 by 5 runs")
	f.Elastic.Smallest = sizing.Shared{}
	require.Equal(t, 31, report.New(f).Elastic.Floor, "none keeps the promise: of the recommended fleet")
}

// TestWhomItBreaksFor: the table says whose promise is broken.
func TestWhomItBreaksFor(t *testing.T) {
	t.Parallel()
	f := everything()
	f.Params.Customers = []sizing.Customer{{Name: "acme", Share: 0.9, Weight: 1}, {Name: "initech", Share: 0.1, Weight: 1}}
	now := &f.Shared.Recommended
	now.Customers = append(now.Customers, sizing.NewHistogram())
	now.PerCustomer = []sizing.Count{{Jobs: 9000, Within: 8900, Squares: 1600}, {Jobs: 1000, Within: 800, Squares: 1600}}
	r := report.New(f)
	require.Equal(t, sizing.VerdictKept, r.Shared.Customers[0].Promise)
	require.Equal(t, sizing.VerdictBroken, r.Shared.Customers[1].Promise)
	require.Empty(t, r.Shared.Sources[0].Promise)
	require.Regexp(t, `(?m)^ *customer acme +0 +100 +kept$`, text(t, f))
	require.Regexp(t, `(?m)^ *customer initech +0 +100 +broken$`, text(t, f))
	now.PerCustomer[1].Within = 940
	require.Regexp(t, `(?m)^ *customer initech +0 +100 +too few to tell$`, text(t, f))
}

// TestFewerRunsAreSaid: rows that are less sure than the answer say so.
func TestFewerRunsAreSaid(t *testing.T) {
	t.Parallel()
	f := experiment()
	f.VariantSeeds = 20
	words := text(t, f)
	require.Contains(t, words, "If the assumption is wrong (20 runs each)\n")
	require.NotContains(t, words, "about 31")
	require.Regexp(t, `a job every 1 min +19 `, words)
	f.VariantSeeds = 2
	words = text(t, f)
	require.Contains(t, words, "If the assumption is wrong (2 runs each)\nThese are fewer runs than the answer has")
	require.Regexp(t, `batches of mean 12 \(as assumed\) +about 31 `, words)
	require.Regexp(t, `a job every 1 min +about 19 `, words)
}

// TestTheLargerAnswerLeads: where the recorded arrivals take more than the simulation, the fleet to plan for is theirs, in the first
// lines, in the table, and in what is paid.
func TestTheLargerAnswerLeads(t *testing.T) {
	t.Parallel()
	f := experiment()
	f.Replay = everything().Replay
	f.Replay.Smallest.Workers, f.Replay.Recommended.PartialMonths = 40, 2
	r, words := report.New(f), text(t, f)
	require.Equal(t, report.Answer{Workers: 40, Dollars: 2600, Because: "replay"}, r.Answer)
	require.Equal(t, 585.0, r.Prices.Beyond)
	require.InDelta(t, 2600/21600.0, r.PerJob.Total, 1e-12)
	require.InDelta(t, r.PerJob.Total, r.PerJob.Load+r.PerJob.Promise+r.PerJob.Beyond, 1e-12)
	require.True(t, strings.HasPrefix(words, "Promise: 95 % of jobs start within 5 min.\n"+
		"Plan for 40 workers, $2,600 a month, for the arrivals as recorded; the simulation alone says 31 workers, $2,015 a month.\n"), words)
	require.Regexp(t, `(?m)^ +40 .* recommended$`, words)
	require.Regexp(t, `(?m)^ +31 .* simulation$`, words)
	for _, says := range []string{
		"The answer, for the arrivals as recorded: $585 more than the simulation's 31 workers",
		"Of 40 workers about 5 are busy and 35 idle",
		"A job costs $0.1204: $0.0241 for the load, $0.0692 for the promise, $0.0271 for the arrivals as recorded.",
		"That is by the simulation, against its 31 workers.",
		"These are of the simulation, and compare with its 31 workers.",
		"1 of 4 calendar months kept (2 of them are not recorded whole).",
	} {
		require.Contains(t, words, says)
	}

	f.Replay = nil
	f.Params.Customers = []sizing.Customer{{Name: "acme", Share: 1, Weight: 1}}
	now := shared(31, 10, 5, 1)
	now.Customers, now.PerCustomer = []*sizing.Histogram{sizing.NewHistogram()}, []sizing.Count{{Jobs: 10, Within: 5}}
	f.Shared = &sizing.Sized{Recommended: now, Smallest: shared(33, 10, 10, 1)}
	require.Contains(t, text(t, f), "Plan for about 33 workers, $2,145 a month, with these customers; the simulation alone says 31")
	f.Shared.Smallest = sizing.Shared{}
	require.Equal(t, report.Answer{Because: "shared"}, report.New(f).Answer)
	require.Contains(t, text(t, f), "No fleet keeps it with these customers; the simulation alone says 31 workers")
	require.Zero(t, report.New(f).Prices.Beyond)
}

// TestAStrictFleetThatIsLiftedSaysSo: fewer workers than recommended are no strict answer, and the votes would seem to say so.
func TestAStrictFleetThatIsLiftedSaysSo(t *testing.T) {
	t.Parallel()
	f := experiment()
	for i := range f.Points {
		f.Points[i].StrictRuns = f.Points[i].KeptRuns
	}
	f.Points[5].StrictRuns, f.Strict = 12, 31
	require.Equal(t, 30, report.New(f).Strict.Alone)
	require.Contains(t, text(t, f), "run by run: 21 to 30 in 12, 31 in 5, 32 in 3; 30 in half of the runs, but no fewer than recommended, which is with confidence\n")
	require.NotContains(t, text(t, experiment()), "no fewer than recommended")
}

// TestAPromiseIsShownWhole: with all of its digits, and no share is rounded up to it or to everything.
func TestAPromiseIsShownWhole(t *testing.T) {
	t.Parallel()
	f := experiment()
	f.Params.Promise.Share = 0.9999
	f.Points[6].Within = sizing.Interval{Value: 0.99994, HalfWidth: 0.00002}
	f.Points[7].Within = sizing.Interval{Value: 0.999999}
	words := text(t, f)
	require.Contains(t, words, "Promise: 99.99 % of jobs start within 5 min.\n")
	require.Contains(t, words, "the promise lets 0.01 % be late")
	require.Contains(t, words, "p99.99 min")
	require.Regexp(t, `(?m)^ +31 .* 99\.99 ± 0\.00 .* recommended$`, words)
	require.Regexp(t, `(?m)^ +32 .* 99\.99 ± 0\.00 `, words)
	require.Contains(t, words, "(99.994 ± 0.002 % in time, 95 % confidence)")
	f.Points[6].Within.Value = 0.9999999
	require.Contains(t, text(t, f), "(99.999 ± 0.002 % in time, 95 % confidence)", "not all of them")
}

// TestAnUncertainWait: a spread larger than the wait is no reason to show less than nothing.
func TestAnUncertainWait(t *testing.T) {
	t.Parallel()
	f := experiment()
	f.Points[6].Wait = sizing.Interval{Value: 0, HalfWidth: 95.9}
	require.Contains(t, text(t, f), "0.0 (or up to 95.9) min for 95 % of jobs")
}

// TestALongWarmUpIsSaid.
func TestALongWarmUpIsSaid(t *testing.T) {
	t.Parallel()
	f := experiment()
	f.Params.WarmUpHours = 1334
	require.Contains(t, text(t, f), "seed 2, after 1,334 hours of warm-up.\n")
	require.NotContains(t, text(t, experiment()), "warm-up")
}

func TestSmoothArrivalsNeedNoWhy(t *testing.T) {
	t.Parallel()
	f := experiment()
	f.Params = f.Params.OneByOne()
	f.Paces = nil
	require.NotContains(t, text(t, f), "\nWhy\n")
	require.NotContains(t, text(t, f), "in batches of")
	require.NotContains(t, text(t, f), "under batches")
}

// TestFieldsAreStable pins the names of the JSON: scripts read them.
func TestFieldsAreStable(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	require.NoError(t, report.New(everything()).JSON(&out))
	var whole any
	require.NoError(t, json.Unmarshal(out.Bytes(), &whole))
	keys := map[string]bool{}
	collect("", whole, keys)
	var list []string
	for key := range keys {
		list = append(list, key)
	}
	slices.Sort(list)
	golden(t, "fields.txt", strings.Join(list, "\n")+"\n")
}

func collect(path string, value any, keys map[string]bool) {
	switch v := value.(type) {
	case map[string]any:
		for key, inner := range v {
			collect(path+"."+key, inner, keys)
		}
	case []any:
		for _, inner := range v {
			collect(path+"[]", inner, keys)
		}
	default:
		keys[fmt.Sprintf("%s %T", path, v)] = true
	}
}

func TestListsAreNeverNull(t *testing.T) {
	t.Parallel()
	f := experiment()
	f.Sizes, f.Tails, f.Paces, f.Curves = nil, nil, nil, nil
	f.Formula = 31
	var out bytes.Buffer
	require.NoError(t, report.New(f).JSON(&out))
	require.NotContains(t, out.String(), "null")
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("the pipe is closed") }

func TestWriteFailures(t *testing.T) {
	t.Parallel()
	r := report.New(experiment())
	require.ErrorContains(t, r.Text(broken{}), "the pipe is closed")
	require.ErrorContains(t, r.JSON(broken{}), "the pipe is closed")
}

func TestOneRunReadsWell(t *testing.T) {
	t.Parallel()
	f := experiment()
	f.Params.Seeds, f.Params.Months, f.VariantSeeds = 1, 1, 1
	words := text(t, f)
	require.Contains(t, words, "one run of a month, ")
	require.Contains(t, words, "(one run each)")
	require.Contains(t, words, "the answer of one run of a month.")
}
