package probe_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/probe"
)

// site is a source on paper: so many requests at a time are served in its response time, more share it.
type site struct {
	latency float64
	serves  float64
	// failsFrom and throttlesFrom are the concurrency at which half of the requests fail, and one is throttled; zero never.
	failsFrom, throttlesFrom int
	// pace bounds requests per second, zero not.
	pace float64
	// noise moves throughput and response time by up to this part, as the draws say.
	noise float64
	draw  func() float64
}

// asked is what 20 seconds at a concurrency look like.
func (s site) asked(c int) probe.Step {
	const seconds = 20
	latency := s.latency * math.Max(1, float64(c)/s.serves)
	rate := float64(c) / latency
	if s.pace > 0 {
		rate = math.Min(rate, s.pace)
	}
	if s.noise > 0 {
		rate *= 1 + s.noise*(2*s.draw()-1)
		latency *= 1 + s.noise*(2*s.draw()-1)
	}
	n := max(int(rate*seconds), 1)
	var samples []probe.Sample
	for i := range n {
		sample := probe.Sample{Took: time.Duration(latency * float64(time.Second))}
		switch {
		case s.throttlesFrom > 0 && c >= s.throttlesFrom && i == n/2:
			sample.Reason = collection.ReasonThrottled
		case s.failsFrom > 0 && c >= s.failsFrom && i%2 == 1:
			sample.Reason = collection.ReasonServerError
		}
		samples = append(samples, sample)
	}
	return probe.Measure(c, samples, seconds*time.Second)
}

// probed climbs a ladder as a driver does.
func (s site) probed(ladder []int) ([]probe.Step, probe.Advice) {
	var steps []probe.Step
	for _, c := range ladder {
		steps = append(steps, s.asked(c))
		if cause := probe.Judge(steps, s.pace); cause != "" {
			return steps, probe.Recommend(steps, cause)
		}
	}
	return steps, probe.Recommend(steps, probe.CauseTop)
}

func TestKnee(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		site  site
		last  int
		cause probe.Cause
		want  int
		why   string
	}{
		"takes everything": {site{latency: 0.2, serves: 1000}, 32, probe.CauseTop, 32,
			"nothing deteriorated up to 32, the most that was tried, so the knee lies there or beyond"},
		"serves four": {site{latency: 0.2, serves: 4}, 8, probe.CauseSaturated, 4,
			"4 in flight brought 20/s with a median of 200 ms, and 8 brought 20/s with 400 ms: answers came slower, not more of them"},
		"serves one": {site{latency: 0.5, serves: 1}, 2, probe.CauseSaturated, 1,
			"1 in flight brought 2/s with a median of 500 ms, and 2 brought 2/s with 1 s: answers came slower, not more of them"},
		"serves six": {site{latency: 0.1, serves: 6}, 16, probe.CauseSaturated, 8, "8 in flight brought 60/s"},
		"falls off a cliff at eight": {site{latency: 0.2, serves: 1000, failsFrom: 8}, 8, probe.CauseFailing, 4,
			"with 8 requests in flight 50 % of the requests were in order, and with 4 it was 100 %"},
		"throttles at sixteen": {site{latency: 0.2, serves: 1000, throttlesFrom: 16}, 16, probe.CauseThrottled, 8,
			"with 16 requests in flight the source throttled, and with 8 it did not"},
		"throttles at once": {site{latency: 0.2, serves: 1000, throttlesFrom: 1}, 1, probe.CauseThrottled, 0,
			"the source throttled the very first step, with 1 request in flight: set a pace, wait, and probe again"},
		"is paced": {site{latency: 1, serves: 1000, pace: 2}, 4, probe.CausePace, 2,
			"the source's pace let only 2.0 of 4 be in flight, so the pace is what limits and 2 in flight use it up"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			steps, advice := c.site.probed(probe.Ladder(32, false))
			require.Equal(t, c.last, steps[len(steps)-1].Concurrency, "it goes no further")
			require.Equal(t, c.cause, advice.Cause)
			require.Equal(t, c.want, advice.Ceiling)
			require.Equal(t, c.cause == probe.CauseTop, advice.AtLeast)
			require.Contains(t, advice.Why, c.why)
		})
	}
}

// TestFailsAtOnce: most targets fail however gently they are asked, so nothing can be recommended.
func TestFailsAtOnce(t *testing.T) {
	t.Parallel()
	steps := []probe.Step{probe.Measure(1, joined(repeated(1, "", time.Second), repeated(3, collection.ReasonBlocked, time.Second)), 4*time.Second)}
	require.Equal(t, probe.CauseFailing, probe.Judge(steps, 0))
	advice := probe.Recommend(steps, probe.CauseFailing)
	require.Zero(t, advice.Ceiling)
	require.Equal(t, "with one request in flight only 1 of 4 requests were in order: mend the targets, or how they are asked, and probe again", advice.Why)

	steps = []probe.Step{probe.Measure(1, repeated(10, collection.ReasonPrivateAddress, 1), time.Second)}
	require.Contains(t, probe.Recommend(steps, probe.Judge(steps, 0)).Why, "no request got through to the source")
}

// TestOneFailureIsNoKnee: among few requests one failure is chance.
func TestOneFailureIsNoKnee(t *testing.T) {
	t.Parallel()
	fault := collection.ReasonServerError
	at := func(c, ok, bad int) probe.Step {
		return probe.Measure(c, joined(repeated(ok, "", time.Second), repeated(bad, fault, time.Second)), time.Duration(float64(ok+bad)/float64(c)*float64(time.Second)))
	}
	require.Empty(t, probe.Judge([]probe.Step{at(1, 10, 0), at(2, 19, 1)}, 0))
	require.Empty(t, probe.Judge([]probe.Step{at(1, 9, 1), at(2, 18, 2), at(4, 35, 5)}, 0), "a source that always fails a little")
	require.Equal(t, probe.CauseFailing, probe.Judge([]probe.Step{at(1, 10, 0), at(2, 15, 5)}, 0))
	require.Equal(t, probe.CauseFailing, probe.Judge([]probe.Step{at(1, 100, 0), at(2, 200, 0), at(4, 370, 30)}, 0), "of many, a few count")
	require.Empty(t, probe.Judge(nil, 0))
}

// TestOtherEnds says what every other end means.
func TestOtherEnds(t *testing.T) {
	t.Parallel()
	good := site{latency: 0.1, serves: 100}
	steps := []probe.Step{good.asked(1), good.asked(2)}
	for cause, why := range map[probe.Cause]string{
		probe.CausePermits: "permits for no more than 2", probe.CauseClosed: "closed after 2", probe.CauseTop: "up to 2",
	} {
		advice := probe.Recommend(steps, cause)
		require.Equal(t, 2, advice.Ceiling, cause)
		require.True(t, advice.AtLeast)
		require.Contains(t, advice.Why, why)
		none := probe.Recommend(nil, cause)
		require.Zero(t, none.Ceiling)
		require.NotEmpty(t, none.Why)
	}
	flat := probe.Recommend([]probe.Step{good.asked(4), {Concurrency: 8, Requests: 1, OK: 1, PerSecond: 40}}, probe.CauseTop)
	require.Equal(t, 4, flat.Ceiling)
	require.False(t, flat.AtLeast)
	require.Contains(t, flat.Why, "4 in flight brought nearly all that 8 did")

	thin := good.asked(8)
	thin.InFlight, thin.PerSecond = 3, 20
	steps = append(steps, thin)
	require.Equal(t, probe.CauseUnfilled, probe.Judge(steps, 0))
	unfilled := probe.Recommend(steps, probe.CauseUnfilled)
	require.Contains(t, unfilled.Why, "only 3.0 of 8 were in flight")
	require.True(t, unfilled.AtLeast)
}

// TestThrottledSourcesGetAPace: a throttle counts requests per time, so a ceiling alone does not keep from it.
func TestThrottledSourcesGetAPace(t *testing.T) {
	t.Parallel()
	_, advice := site{latency: 0.2, serves: 1000, throttlesFrom: 4}.probed(probe.Ladder(8, false))
	require.Equal(t, 2, advice.Ceiling)
	require.InDelta(t, 8, advice.Pace, 1e-9, "a fifth less than the 10/s that went well")
}

// TestKneeProperties: whatever the source, the recommendation was measured, was in order, and is not beyond what broke it.
func TestKneeProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := site{
			latency: rapid.Float64Range(0.05, 2).Draw(t, "latency"),
			serves:  rapid.Float64Range(1, 100).Draw(t, "serves"),
			noise:   rapid.Float64Range(0, 0.04).Draw(t, "noise"),
			draw:    func() float64 { return rapid.Float64Range(0, 1).Draw(t, "draw") },
		}
		broken := rapid.IntRange(0, 64).Draw(t, "broken from")
		if rapid.Bool().Draw(t, "throttles") {
			s.throttlesFrom = broken
		} else {
			s.failsFrom = broken
		}
		ladder := probe.Ladder(rapid.IntRange(1, 64).Draw(t, "largest"), rapid.Bool().Draw(t, "one by one"))
		steps, advice := s.probed(ladder)
		require.NotEmpty(t, advice.Why)
		last := steps[len(steps)-1]
		require.LessOrEqual(t, advice.Ceiling, last.Concurrency)
		if broken > 1 {
			require.Less(t, advice.Ceiling, broken)
			for _, step := range steps[:len(steps)-1] {
				require.Less(t, step.Concurrency, broken, "it stops with the first step that breaks the source")
			}
		}
		if broken == 0 {
			require.Positive(t, advice.Ceiling)
			require.LessOrEqual(t, float64(last.Concurrency), 4*s.serves+2, "it does not go far beyond what the source serves")
			require.LessOrEqual(t, float64(advice.Ceiling), 2*s.serves+1)
			if advice.Cause == probe.CauseSaturated {
				require.GreaterOrEqual(t, float64(advice.Ceiling), s.serves/2)
			}
		}
	})
}

// TestSlowAnswersAloneAreNoKnee: a source whose answers take longer, and which brings more of them all the same.
func TestSlowAnswersAloneAreNoKnee(t *testing.T) {
	t.Parallel()
	a := probe.Measure(2, repeated(200, "", 100*time.Millisecond), 10*time.Second)
	b := probe.Measure(4, repeated(300, "", 133*time.Millisecond), 10*time.Second)
	require.Empty(t, probe.Judge([]probe.Step{a, b}, 0))
}
