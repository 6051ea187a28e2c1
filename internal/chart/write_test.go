package chart_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"pgregory.net/rapid"

	"github.com/weir-collect/weir/internal/chart"
)

var formats = []chart.Format{chart.PNG, chart.SVG}

// picture is an empty plot, written.
func picture(t require.TestingT, format chart.Format, title string) []byte {
	p := chart.New(title, "across", "upwards")
	p.X.Max, p.Y.Max = 2, 3
	var out bytes.Buffer
	require.NoError(t, chart.Write(&out, format, chart.Width, 3*vg.Inch, p.Draw))
	return out.Bytes()
}

func TestPNGHasTheSizeAskedFor(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		width, height vg.Length
		dx, dy        int
	}{{chart.Width, 3 * vg.Inch, 1296, 432}, {vg.Inch, 2 * vg.Inch, 144, 288}} {
		var out bytes.Buffer
		require.NoError(t, chart.Write(&out, chart.PNG, c.width, c.height, func(draw.Canvas) {}))
		decoded, err := png.Decode(&out)
		require.NoError(t, err)
		require.Equal(t, c.dx, decoded.Bounds().Dx())
		require.Equal(t, c.dy, decoded.Bounds().Dy())
	}
}

func TestSVGHasTheSizeAskedFor(t *testing.T) {
	t.Parallel()
	var root struct {
		Width  string `xml:"width,attr"`
		Height string `xml:"height,attr"`
	}
	svg := picture(t, chart.SVG, "The title")
	require.NoError(t, xml.Unmarshal(svg, &root))
	require.Equal(t, "648pt", root.Width, "nine inches of 72 points")
	require.Equal(t, "216pt", root.Height)
	for _, words := range []string{">The title<", ">across<", ">upwards<"} {
		require.Contains(t, string(svg), words)
	}
}

func TestPaintHasTheWholeCanvas(t *testing.T) {
	t.Parallel()
	for _, format := range formats {
		var size vg.Point
		require.NoError(t, chart.Write(io.Discard, format, chart.Width, 3*vg.Inch, func(c draw.Canvas) { size = c.Size() }))
		require.InDelta(t, float64(chart.Width), float64(size.X), 1e-9, format)
		require.InDelta(t, float64(3*vg.Inch), float64(size.Y), 1e-9, format)
	}
}

func TestTheSameDrawingIsTheSameBytes(t *testing.T) {
	t.Parallel()
	for _, format := range formats {
		require.Equal(t, picture(t, format, "one"), picture(t, format, "one"), format)
		require.NotEqual(t, picture(t, format, "one"), picture(t, format, "two"), format)
	}
}

func TestUnknownFormat(t *testing.T) {
	t.Parallel()
	for _, format := range []chart.Format{"gif", "", "PNG"} {
		var out bytes.Buffer
		err := chart.Write(&out, format, chart.Width, vg.Inch, func(draw.Canvas) { t.Error("painted for nothing") })
		require.EqualError(t, err, `draw a chart as "`+string(format)+`": use png or svg`)
		require.Zero(t, out.Len())
	}
}

type broken struct{ err error }

func (b broken) Write([]byte) (int, error) { return 0, b.err }

func TestWriterThatFails(t *testing.T) {
	t.Parallel()
	full := errors.New("the disk is full")
	for _, format := range formats {
		err := chart.Write(broken{full}, format, chart.Width, vg.Inch, chart.New("", "", "").Draw)
		require.ErrorIs(t, err, full, format)
		require.EqualError(t, err, "write a chart: the disk is full", format)
	}
}

// TestTitlesAreText: a title may be the name of a source, and must not become markup of an SVG.
func TestTitlesAreText(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		title := rapid.StringMatching(`[ -~é中]{0,30}`).Draw(t, "title")
		words := map[string]bool{}
		decoder := xml.NewDecoder(bytes.NewReader(picture(t, chart.SVG, title)))
		for {
			token, err := decoder.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			require.NoError(t, err)
			if text, ok := token.(xml.CharData); ok {
				words[strings.TrimSpace(string(text))] = true
			}
		}
		require.Contains(t, words, strings.TrimSpace(title))
	})
}
