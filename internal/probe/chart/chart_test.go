package chart_test

import (
	"bytes"
	"errors"
	"image/png"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weir-collect/weir/internal/chart"
	"github.com/weir-collect/weir/internal/probe"
	probechart "github.com/weir-collect/weir/internal/probe/chart"
)

var steps = []probe.Step{
	{Concurrency: 1, Requests: 20, OK: 20, P50: 0.2, P95: 0.25, Seconds: 4, PerSecond: 5},
	{Concurrency: 2, Requests: 40, OK: 40, P50: 0.2, P95: 0.3, Seconds: 4, PerSecond: 10},
	{Concurrency: 4, Requests: 40, OK: 30, Failed: 10, P50: 0.4, P95: 0.9, Seconds: 4, PerSecond: 7.5},
}

var advice = probe.Advice{Ceiling: 2, Cause: probe.CauseFailing, Why: "w"}

func draw(t require.TestingT, steps []probe.Step, a probe.Advice, format chart.Format) string {
	var out bytes.Buffer
	require.NoError(t, probechart.Knee(&out, "bookshop", steps, a, format))
	return out.String()
}

func TestSVG(t *testing.T) {
	t.Parallel()
	picture := draw(t, steps, advice, chart.SVG)
	for _, words := range []string{"Probe of bookshop", "requests in order, %", "response time, ms", "requests in flight", "recommended ceiling: 2",
		"median", "95th percentile", ">4<", ">100<"} {
		require.Contains(t, picture, words)
	}
	require.Equal(t, picture, draw(t, steps, advice, chart.SVG), "the same steps are the same picture")
	require.NotContains(t, draw(t, steps, probe.Advice{}, chart.SVG), "recommended")
}

func TestPNG(t *testing.T) {
	t.Parallel()
	picture, err := png.Decode(bytes.NewReader([]byte(draw(t, steps, advice, chart.PNG))))
	require.NoError(t, err)
	require.Equal(t, 1296, picture.Bounds().Dx())
	seen := map[[3]uint8]int{}
	for y := range picture.Bounds().Dy() {
		for x := range picture.Bounds().Dx() {
			r, g, b, _ := picture.At(x, y).RGBA()
			seen[[3]uint8{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8)}]++
		}
	}
	for _, colour := range [][3]uint8{{0x1b, 0x8a, 0x6b}, {0x1f, 0x5f, 0xa8}, {0xd9, 0x6b, 0x0b}} {
		require.Greater(t, seen[colour], 300, "%v", colour)
	}
}

func TestRefuses(t *testing.T) {
	t.Parallel()
	require.EqualError(t, probechart.Knee(io.Discard, "s", steps, advice, "gif"), `draw a chart as "gif": use png or svg`)
	require.ErrorContains(t, probechart.Knee(io.Discard, "s", nil, advice, chart.PNG), "no step")
	require.ErrorContains(t, probechart.Knee(broken{}, "s", steps, advice, chart.SVG), "the disk is full")
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("the disk is full") }

// TestStrangeProbes: single steps, steps without an answer, a hundred of them, times of hours: all can be drawn.
func TestStrangeProbes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var some []probe.Step
		at := 0
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			at += rapid.IntRange(1, 9).Draw(t, "more")
			all := rapid.IntRange(0, 50).Draw(t, "requests")
			s := probe.Step{Concurrency: at, Requests: all, OK: rapid.IntRange(0, all).Draw(t, "ok")}
			if s.OK > 0 {
				s.P50 = rapid.SampledFrom([]float64{0, 1e-6, 0.2, 4000}).Draw(t, "p50")
				s.P95 = s.P50
			}
			some = append(some, s)
		}
		picture := draw(t, some, probe.Advice{Ceiling: rapid.IntRange(0, at).Draw(t, "ceiling")}, chart.SVG)
		require.NotContains(t, picture, "NaN")
		require.NotContains(t, picture, "Inf")
	})
}
