package cli

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/internal/cli/screen"
	"github.com/weir-collect/weir/internal/sizing"
)

func TestSizeProgress(t *testing.T) {
	t.Parallel()
	const what = "simulating 20 runs of 10 months, about 4,320,000 jobs, through many fleets"
	const expect = ", some 10 s on 2 cores"
	for name, c := range map[string]struct {
		screen   func(*bytes.Buffer) *screen.Screen
		interval time.Duration
		want     string
	}{
		"plain": {func(b *bytes.Buffer) *screen.Screen { return screen.New(b, screen.Options{}) }, 10 * time.Second,
			what + expect + "\n" + what + ": 12 s\n"},
		"terminal": {func(b *bytes.Buffer) *screen.Screen { return screen.NewTerminal(b, 100, screen.Options{}) }, time.Second,
			what + expect + "\n\x1b[1A\r\x1b[J" + what + ": 12 s\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			now := noon
			p := newSizeProgress(c.screen(&out), sizing.Default(), nil, 2, func() time.Time { return now })
			require.Equal(t, c.interval, p.interval())
			p.show()
			now = now.Add(12 * time.Second)
			p.show()
			require.Equal(t, c.want, out.String())
		})
	}
}

// TestSizeProgressGoesAway: what is written after it stands in its place, and nothing of it comes later.
func TestSizeProgressGoesAway(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	stop := newSizeProgress(screen.NewTerminal(&out, 60, screen.Options{}), sizing.Default(), nil, 2, func() time.Time { return noon }).start()
	stop()
	require.True(t, strings.HasSuffix(out.String(), "…\n\x1b[1A\r\x1b[J"), "%q", out.String())
}
