package chart_test

import (
	"bytes"
	"errors"
	"image"
	"image/png"
	"io"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weir-collect/weir/internal/chart"
	"github.com/weir-collect/weir/internal/sizing"
	sizingchart "github.com/weir-collect/weir/internal/sizing/chart"
	"github.com/weir-collect/weir/internal/sizing/report"
)

// charts are both, by name.
var charts = map[string]func(io.Writer, report.Report, chart.Format) error{
	"fleet": sizingchart.WaitByFleet, "waits": sizingchart.Waits,
}

// falling is a report whose waits halve with every few workers.
func falling() report.Report {
	p := sizing.Default()
	r := report.Report{
		Inputs: report.Inputs{BatchMean: 12}, Promise: p.Promise, Load: p.Load(),
		Formula: report.Formula{Workers: 8, Wait: 4.03},
	}
	for n := 1; n <= 40; n++ {
		if !p.Steady(n) {
			r.Fleets = append(r.Fleets, sizing.Unsteady(p, n))
			continue
		}
		wait := 400 * math.Exp(-float64(n-6)/5.6)
		if n > 38 {
			wait = 0
		}
		point := sizing.Point{Workers: n, Steady: true, SmoothWait: p.Smooth().Wait(n, 0.95), Wait: sizing.Interval{Value: wait}}
		r.Fleets = append(r.Fleets, point)
	}
	r.Formula.Batched = &r.Fleets[7]
	r.Simulated.Point = r.Fleets[30]
	for i, workers := range []int{8, 8, 20, 31} {
		c := sizing.Curve{Workers: workers, Smooth: i == 0}
		for at := 0.0625; at < 300; at *= 1.1 {
			c.Dots = append(c.Dots, sizing.Share{Minutes: at, Share: 1 - math.Exp(-float64(workers)*at/50)})
		}
		r.Curves = append(r.Curves, c)
	}
	return r
}

func draw(t *testing.T, name string, r report.Report, format chart.Format) []byte {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, charts[name](&out, r, format), name)
	return out.Bytes()
}

func TestTheSameReportIsTheSamePicture(t *testing.T) {
	t.Parallel()
	for name := range charts {
		for _, format := range []chart.Format{chart.PNG, chart.SVG} {
			require.Equal(t, draw(t, name, falling(), format), draw(t, name, falling(), format), "%s as %s", name, format)
		}
	}
}

// TestPNG: a picture of the promised size, in which every colour of a curve is to be seen.
func TestPNG(t *testing.T) {
	t.Parallel()
	colours := map[string][][3]uint8{
		"fleet": {{0x1f, 0x5f, 0xa8}, {0xd9, 0x6b, 0x0b}, {0x33, 0x33, 0x33}},
		"waits": {{0x1f, 0x5f, 0xa8}, {0xd9, 0x6b, 0x0b}, {0x7a, 0x4f, 0xa3}, {0x1b, 0x8a, 0x6b}, {0x33, 0x33, 0x33}},
	}
	for name := range charts {
		picture, err := png.Decode(bytes.NewReader(draw(t, name, falling(), chart.PNG)))
		require.NoError(t, err)
		require.Equal(t, image.Rect(0, 0, 1296, 778), picture.Bounds(), name)
		seen := count(picture)
		for _, colour := range colours[name] {
			require.Greater(t, seen[colour], 150, "%s has no %v", name, colour)
		}
		require.Greater(t, seen[[3]uint8{0xff, 0xff, 0xff}], 700_000, "%s is mostly paper", name)
	}
}

func count(picture image.Image) map[[3]uint8]int {
	seen := map[[3]uint8]int{}
	for y := picture.Bounds().Min.Y; y < picture.Bounds().Max.Y; y++ {
		for x := picture.Bounds().Min.X; x < picture.Bounds().Max.X; x++ {
			r, g, b, _ := picture.At(x, y).RGBA()
			seen[[3]uint8{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8)}]++
		}
	}
	return seen
}

// TestPicturesFillTheirFrame: the plot reaches near the right edge and the top, where an earlier layout left half of it blank.
func TestPicturesFillTheirFrame(t *testing.T) {
	t.Parallel()
	for name := range charts {
		picture, err := png.Decode(bytes.NewReader(draw(t, name, falling(), chart.PNG)))
		require.NoError(t, err)
		right, top := 0, picture.Bounds().Max.Y
		for y := 60; y < picture.Bounds().Max.Y; y++ { // below the title
			for x := range picture.Bounds().Max.X {
				if r, g, b, _ := picture.At(x, y).RGBA(); r == 0xffff && g == 0xffff && b == 0xffff {
					continue
				}
				if y > 680 && y < 690 { // the horizontal axis and its ticks
					right = max(right, x)
				}
				if x > 100 && x < 122 { // the vertical one
					top = min(top, y)
				}
			}
		}
		require.Greater(t, right, 1200, name)
		require.Less(t, top, 130, name)
	}
}

func TestSVGNamesWhatItShows(t *testing.T) {
	t.Parallel()
	fleet := string(draw(t, "fleet", falling(), chart.SVG))
	for _, words := range []string{
		"How many workers the promise takes", "minutes within which 95 % of jobs start (log scale)", "in batches of mean 12 (simulation)",
		"the promise: 95 % within 5 min", "the load: 5 busy on average", "8 workers: 4.03 min", "31 workers: 4.6 min", ">200<", ">0.5<", ">40<",
	} {
		require.Contains(t, fleet, words)
	}
	waits := string(draw(t, "waits", falling(), chart.SVG))
	for _, words := range []string{
		"How long jobs wait", "share of jobs started, %", "minutes from handing in to start (log scale)", "8 workers, one by one",
		"8 workers, batches", "31 workers, batches", "promise: 5 min", ">95<", ">0.1<",
	} {
		require.Contains(t, waits, words)
	}
}

func TestChartsRefuse(t *testing.T) {
	t.Parallel()
	for name, write := range charts {
		require.EqualError(t, write(io.Discard, falling(), "gif"), `draw a chart as "gif": use png or svg`, name)
		require.Error(t, write(io.Discard, report.Report{Promise: sizing.Default().Promise}, chart.PNG), name)
		for _, format := range []chart.Format{chart.PNG, chart.SVG} {
			require.ErrorContains(t, write(broken{}, falling(), format), "the disk is full", name)
		}
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("the disk is full") }

// TestStrangeReports: promises at once or of a week, loads of a hundred, fleets of one, waits of nothing: all can be drawn.
func TestStrangeReports(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := falling()
		r.Promise = sizing.Promise{
			Share:   rapid.Float64Range(0.01, 0.999).Draw(t, "share"),
			Minutes: rapid.SampledFrom([]float64{0, 0.01, 0.5, 5, 600, 10_000}).Draw(t, "minutes"),
		}
		r.Load = rapid.SampledFrom([]float64{0.1, 5, 7.5, 39}).Draw(t, "load")
		from := rapid.IntRange(5, 39).Draw(t, "from")
		r.Fleets = r.Fleets[from:rapid.IntRange(from+1, 40).Draw(t, "to")]
		scale := rapid.SampledFrom([]float64{0, 0.001, 1, 1000}).Draw(t, "scale")
		for i := range r.Fleets {
			r.Fleets[i].Wait.Value *= scale
		}
		if rapid.Bool().Draw(t, "no formula") {
			r.Formula = report.Formula{}
		}
		r.Curves = r.Curves[:rapid.IntRange(1, 4).Draw(t, "curves")]
		r.Inputs.BatchMean = rapid.SampledFrom([]float64{1, 2.5, 1e5}).Draw(t, "batch")
		for name, write := range charts {
			var out bytes.Buffer
			require.NoError(t, write(&out, r, chart.SVG), name)
			require.NotContains(t, out.String(), "NaN", name)
			require.NotContains(t, out.String(), "Inf", name)
		}
	})
}
