package chart_test

import (
	"fmt"
	"image/color"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot"

	"github.com/weir-collect/weir/internal/chart"
)

func TestNew(t *testing.T) {
	t.Parallel()
	p := chart.New("title", "x", "y")
	require.Equal(t, []string{"title", "x", "y"}, []string{p.Title.Text, p.X.Label.Text, p.Y.Label.Text})
	require.Equal(t, "Sans", string(p.Title.TextStyle.Font.Variant))
	require.Equal(t, "Sans", string(p.Legend.TextStyle.Font.Variant))
	for _, axis := range []plot.Axis{p.X, p.Y} {
		require.Equal(t, chart.Ink, axis.Color)
		require.Equal(t, chart.Ink, axis.Tick.Color)
		require.Equal(t, "Sans", string(axis.Label.TextStyle.Font.Variant))
		require.Equal(t, "Sans", string(axis.Tick.Label.Font.Variant))
		require.Less(t, axis.Tick.Label.Font.Size, axis.Label.TextStyle.Font.Size)
		require.Less(t, axis.Label.TextStyle.Font.Size, p.Title.TextStyle.Font.Size)
	}
}

// TestGrid: there are lines behind the curves, and they are much lighter than all that is drawn over them.
func TestGrid(t *testing.T) {
	t.Parallel()
	const grey = 0xe3
	lines := fmt.Sprintf("stroke:#%X%X%X", grey, grey, grey)
	require.Greater(t, strings.Count(string(picture(t, chart.SVG, "")), lines), 4)
	for _, c := range []color.RGBA{chart.Blue, chart.Orange, chart.Violet, chart.Green, chart.Ink} {
		require.Less(t, (int(c.R)+int(c.G)+int(c.B))/3, grey-50)
	}
}

// TestColoursKeepApart for eyes that see of red and green only their mean.
func TestColoursKeepApart(t *testing.T) {
	t.Parallel()
	colours := []color.RGBA{chart.Blue, chart.Orange, chart.Violet, chart.Green, chart.Ink}
	seen := func(c color.RGBA) (yellow, blue float64) { return (float64(c.R) + float64(c.G)) / 2, float64(c.B) }
	for i, one := range colours {
		for _, other := range colours[i+1:] {
			y1, b1 := seen(one)
			y2, b2 := seen(other)
			require.Greater(t, math.Hypot(y1-y2, b1-b2), 30.0, "%v and %v", one, other)
		}
	}
}
