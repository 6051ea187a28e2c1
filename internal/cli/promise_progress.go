package cli

import (
	"fmt"
	"time"

	"github.com/weir-collect/weir/internal/cli/screen"
	"github.com/weir-collect/weir/starter"
)

// pastProgress tells how far the reading of the past is, to a person who waits: on a terminal only, in a line that goes
// away.
type pastProgress struct {
	screen *screen.Screen
	live   *screen.Live
	now    func() time.Time
	shown  time.Time
}

func (a *app) newPastProgress() *pastProgress {
	s := a.remarks()
	return &pastProgress{screen: s, live: s.NewLive(), now: a.world.Now, shown: a.world.Now()}
}

// show is told after every submission; it draws a few times a second, and nothing at all in the first second.
func (p *pastProgress) show(c starter.Coverage) {
	if !p.screen.IsTerminal() || p.now().Sub(p.shown) < time.Second/2 {
		return
	}
	p.shown = p.now()
	line := fmt.Sprintf("looking for submissions: %s", screen.Count(c.Plans))
	if c.Submissions > 0 {
		line = fmt.Sprintf("reading ledgers: %s with %s, of up to %s", screen.Plural(c.Submissions, "submission"),
			screen.Plural(c.Records, "record"), screen.Plural(c.Plans, "submission"))
	}
	p.live.Draw([]string{line})
}

func (p *pastProgress) end() { p.live.Clear() }
