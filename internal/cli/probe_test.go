package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/activities"
	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/config"
	"github.com/weir-collect/weir/internal/connect"
	"github.com/weir-collect/weir/internal/lease"
	"github.com/weir-collect/weir/internal/probe/drive"
)

// siteOnPaper is a source that serves so many requests at a time, and the fleet's permits for it.
type siteOnPaper struct {
	row      lease.SourceView
	rowsErr  error
	serves   int
	throttle int
	denied   string

	mu       sync.Mutex
	inFlight int
	asked    map[string]int
	most     int
	returned bool
	closed   bool
}

func (s *siteOnPaper) open(context.Context, config.Config, connect.Secrets) (probeTools, error) {
	return probeTools{
		rows: func(context.Context) ([]lease.SourceView, error) { return []lease.SourceView{s.row}, s.rowsErr },
		begin: func(_ collection.Source, most int) (probeSession, error) {
			s.most = most
			return s, nil
		},
		close: func() { s.closed = true },
	}, nil
}

func (s *siteOnPaper) Acquire(ctx context.Context, _ string) (*activities.Permit, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return &activities.Permit{Context: context.Background(), Release: func() {}}, nil
}

func (s *siteOnPaper) Report(string, collection.Reason, time.Duration) {}
func (s *siteOnPaper) Return()                                         { s.returned = true }
func (s *siteOnPaper) Grant() lease.Grant                              { return lease.Grant{Open: true, Permits: s.most} }

func (s *siteOnPaper) Allow(_ context.Context, rec collection.Record) error {
	if rec.URL == s.denied {
		return &collection.Refused{Reason: collection.ReasonRobotsDenied, Detail: "robots.txt denies it"}
	}
	return nil
}

func (s *siteOnPaper) Fetch(ctx context.Context, _ *activities.Permit, rec collection.Record) drive.Answer {
	s.mu.Lock()
	s.inFlight++
	s.asked[rec.URL]++
	took := 100 * time.Millisecond * time.Duration(max(s.inFlight, s.serves)) / time.Duration(s.serves)
	throttled := s.throttle > 0 && s.inFlight >= s.throttle
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.inFlight--
	}()
	if throttled {
		return drive.Answer{Reason: collection.ReasonThrottled}
	}
	select {
	case <-time.After(took):
	case <-ctx.Done():
	}
	return drive.Answer{}
}

func paper() *siteOnPaper {
	return &siteOnPaper{row: lease.SourceView{Source: "bookshop", Ceiling: 8, InForce: 8, Open: true, Pace: lease.Unlimited}, serves: 2, asked: map[string]int{}}
}

// probing runs a probe in a bubble, in which steps take no time.
func probing(t *testing.T, s *siteOnPaper, output string, f *probeFlags) session {
	t.Helper()
	w := testWorld(t)
	require.NoError(t, os.WriteFile(filepath.Join(w.Dir, "some.csv"), []byte(text(`
url,source,isbn
https://www.bookshop.example/1,,9
https://elsewhere.example/2,,8
https://www.bookshop.example/3,other,7
no url at all,bookshop,6
https://www.bookshop.example/4,bookshop,5
`)), 0o600))
	var out, remarks bytes.Buffer
	w.Stdout, w.Stderr = &out, &remarks
	a := &app{world: w}
	a.output.value = output
	cfg, err := config.Load(config.Options{File: filepath.Join(w.Dir, "weir.yaml"), CPUs: 1, Version: "test", Env: w.Env})
	require.NoError(t, err)
	var code int
	synctest.Test(t, func(t *testing.T) {
		err := a.probe(t.Context(), cfg, "bookshop", f, s.open)
		w.tell(err)
		code = codeOf(err)
	})
	return session{code: code, stdout: out.String(), stderr: remarks.String()}
}

func flags(change func(*probeFlags)) *probeFlags {
	f := &probeFlags{urls: []string{"https://www.bookshop.example/1"}, stepTime: 10 * time.Second, steps: choice{value: stepsDoubling}}
	if change != nil {
		change(f)
	}
	return f
}

func TestProbeFindsTheKnee(t *testing.T) {
	t.Parallel()
	site := paper()
	s := probing(t, site, outputTable, flags(nil))
	require.Zero(t, s.code, s.stderr)
	require.True(t, site.returned)
	require.True(t, site.closed)
	require.Equal(t, 8, site.most)
	lines := strings.Split(s.stdout, "\n")
	require.Equal(t, "IN FLIGHT  REALLY  REQUESTS     OK     P50     P95  PER S  WENT WRONG", lines[0])
	require.Len(t, lines, 13)
	require.Contains(t, s.stdout, "        4  |========================|  |========================|\n", "the slowest fills the scale")
	require.Contains(t, s.stdout, "\nceiling  2; it is 8\n")
	require.Contains(t, s.stdout, "answers came slower, not more of them\n")
	require.Contains(t, s.stderr, "probing bookshop: 1 target, up to 8 requests in flight, at least 40 s\n")
	require.Contains(t, s.stderr, "2 in flight: ")
	require.Contains(t, s.stderr, `set it: weir ceiling bookshop 2 --reason "a probe"`)
}

func TestProbeAsJSON(t *testing.T) {
	t.Parallel()
	site := paper()
	site.row.InFlight = 3
	s := probing(t, site, outputJSON, flags(nil))
	require.Zero(t, s.code, s.stderr)
	var got map[string]any
	require.NoError(t, json.Unmarshal([]byte(s.stdout), &got))
	require.Equal(t, "bookshop", got["source"])
	require.InDelta(t, 3, got["others_in_flight"], 0)
	require.Len(t, got["steps"], 3)
	require.Equal(t, "saturated", got["advice"].(map[string]any)["cause"])
	require.InDelta(t, 2, got["advice"].(map[string]any)["ceiling"], 0)
	require.Contains(t, s.stderr, "other workers have 3 requests in flight there")
}

func TestProbeOfAFile(t *testing.T) {
	t.Parallel()
	site := paper()
	site.denied = "https://www.bookshop.example/4"
	s := probing(t, site, outputTable, flags(func(f *probeFlags) { f.urls, f.file, f.max = nil, "some.csv", 2 }))
	require.Zero(t, s.code, s.stderr)
	require.Equal(t, 2, site.most)
	require.NotZero(t, site.asked["https://www.bookshop.example/1"])
	require.Len(t, site.asked, 1)
	require.Contains(t, s.stderr, "some.csv: left out 1 row of other sources")
	require.Contains(t, s.stderr, "some.csv: left out 2 rows that cannot be asked for; the first: line 3: its host is none of source bookshop's")
	require.NotContains(t, s.stderr, "set it", "nobody lowers a ceiling for a probe that went no further")
	require.Contains(t, s.stderr, "left out 1 target that may not be asked for; the first: robots.txt denies it")
	require.Contains(t, s.stdout, "ceiling  2 or more; it is 8")
}

func TestProbeThatIsThrottled(t *testing.T) {
	t.Parallel()
	site := paper()
	site.throttle, site.serves = 4, 100
	s := probing(t, site, outputTable, flags(nil))
	require.Zero(t, s.code)
	require.Contains(t, s.stdout, "throttled\n")
	require.Contains(t, s.stdout, "pace     16/s besides")
	require.Contains(t, s.stdout, "with 4 requests in flight the source throttled, and with 2 it did not")

	site = paper()
	site.throttle = 1
	s = probing(t, site, outputTable, flags(nil))
	require.Equal(t, ExitFailure, s.code, "nothing can be recommended")
	require.Contains(t, s.stdout, "none can be recommended")
	require.NotContains(t, s.stderr, "set it")
}

func TestProbeCharts(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	s := probing(t, paper(), outputTable, flags(func(f *probeFlags) { f.charts = folder }))
	require.Zero(t, s.code, s.stderr)
	for name, begin := range map[string]string{"probe-bookshop.svg": "<?xml", "probe-bookshop.png": "\x89PNG"} {
		content, err := os.ReadFile(filepath.Join(folder, name))
		require.NoError(t, err)
		require.True(t, bytes.HasPrefix(content, []byte(begin)), name)
	}
}

func TestProbeThatCannotBegin(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		site func(*siteOnPaper)
		flag func(*probeFlags)
		code int
		want string
	}{
		"closed": {func(s *siteOnPaper) { s.row.Open, s.row.Why, s.row.OpensAt = false, lease.WhyHours, noon }, nil, ExitFailure,
			"source bookshop takes no requests now (hours) until 2026-01-02 12:00:00 UTC: see weir sources bookshop"},
		"no fleet":   {func(s *siteOnPaper) { s.rowsErr = errors.New("nobody answers") }, nil, ExitFailure, "nobody answers"},
		"not known":  {func(s *siteOnPaper) { s.row.Source = "stock" }, nil, ExitNotFound, `the fleet has no source "bookshop"`},
		"all denied": {func(s *siteOnPaper) { s.denied = "https://www.bookshop.example/1" }, nil, ExitUsage, "there is no target to probe with: robots.txt denies it"},
		"of another": {nil, func(f *probeFlags) { f.urls = []string{"https://elsewhere.example/"} }, ExitUsage, "its host is none of source bookshop's"},
		"no file":    {nil, func(f *probeFlags) { f.urls, f.file = nil, "none.csv" }, ExitUsage, "none.csv"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			site := paper()
			if c.site != nil {
				c.site(site)
			}
			s := probing(t, site, outputTable, flags(c.flag))
			require.Equal(t, c.code, s.code, s.stderr)
			require.Contains(t, s.stderr, c.want)
			require.Empty(t, s.stdout)
			require.Empty(t, site.asked)
		})
	}
}

func TestProbeUsage(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"probe":                                  "SOURCE is missing",
		"probe bookshop":                         "what is to be asked for? Give --urls FILE or --url URL",
		"probe bookshop --url x --urls y":        "give --urls or --url, not both",
		"probe bookshop --url x --step-time 1ms": "--step-time 1ms: use 1s or more",
		"probe bookshop --url x --max -1":        "--max -1: use 1 or more",
		"probe bookshop --url x --steps some":    "use doubling or each",
		"probe shop --url x":                     `source "shop" is not in the configuration`,
		"probe bookshop --url :":                 "--url :",
	} {
		s := in(testWorld(t), (&fakes{}).edges(), strings.Fields(args)...)
		require.Equal(t, ExitUsage, s.code, args)
		require.Contains(t, s.stderr, want, args)
	}
}

// TestProbeNeverGoesOutByAnotherWay: a source that is asked by proxies only is not asked directly.
func TestProbeNeverGoesOutByAnotherWay(t *testing.T) {
	t.Parallel()
	w := testWorld(t)
	var out bytes.Buffer
	w.Stdout, w.Stderr = &out, &out
	a := &app{world: w}
	cfg := config.Config{Sources: []collection.Source{{Name: "bookshop", Egress: collection.EgressUse{Use: []string{"eu-1"}}}}}
	_, _, err := a.probeTargets(cfg, "bookshop", flags(nil))
	require.ErrorContains(t, err, "asked by way of eu-1 only")
	require.Equal(t, ExitUsage, codeOf(err))
}

func TestPlotBar(t *testing.T) {
	t.Parallel()
	require.Equal(t, "|============------------|", plotBar(1, 2, 2))
	require.Equal(t, "|                        |", plotBar(0, 0, 2))
	require.Equal(t, "|                        |", plotBar(0, 0, 0))
	require.Equal(t, "|========================|", plotBar(3, 1, 2), "never beyond the end")
}
