package cli

import (
	"fmt"
	"sync"
	"time"

	"github.com/weir-collect/weir/internal/cli/screen"
	"github.com/weir-collect/weir/internal/sizing"
	"github.com/weir-collect/weir/internal/sizing/sweep"
)

// sizeProgress says that a fleet is being sized, and for how long: on a terminal in a line that is refreshed and goes away,
// elsewhere in a line at the beginning and one every ten seconds.
type sizeProgress struct {
	screen *screen.Screen
	live   *screen.Live
	now    func() time.Time
	begun  time.Time
	what   string
	// expect is about how long it takes, and goes into the first line.
	expect string
}

func newSizeProgress(s *screen.Screen, p sizing.Params, history *sizing.History, cores int, now func() time.Time) *sizeProgress {
	jobs := p.JobsPerMonth() * float64(p.Months) * float64(p.Seeds)
	return &sizeProgress{
		screen: s, live: s.NewLive(), now: now, begun: now(),
		what: fmt.Sprintf("simulating %s of %s, about %s, through many fleets",
			screen.Plural(p.Seeds, "run"), screen.Plural(p.Months, "month"), screen.Plural(int(jobs), "job")),
		expect: estimate(p, history, cores),
	}
}

// estimate says about how long a study takes that takes more than a moment.
func estimate(p sizing.Params, history *sizing.History, cores int) string {
	takes, step := sweep.Estimate(p, history, cores), 5*time.Second
	if takes >= time.Minute {
		step = time.Minute
	}
	if takes = takes.Round(step); takes == 0 {
		return ""
	}
	return fmt.Sprintf(", some %s on %s", screen.Duration(takes), screen.Plural(cores, "core"))
}

// interval is the time between two shows.
func (p *sizeProgress) interval() time.Duration {
	if p.screen.IsTerminal() {
		return time.Second
	}
	return 10 * time.Second
}

func (p *sizeProgress) show() {
	line := p.what + p.expect
	if passed := p.now().Sub(p.begun).Round(time.Second); passed > 0 {
		line = p.what + ": " + screen.Duration(passed)
	}
	if p.screen.IsTerminal() {
		p.live.Draw([]string{line})
		return
	}
	p.screen.Line("%s", line)
}

// start shows it until the returned function is called, which must happen once.
func (p *sizeProgress) start() (stop func()) {
	p.show()
	done := make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() {
		ticker := time.NewTicker(p.interval())
		defer ticker.Stop()
		for {
			select {
			case <-done:
				return
			case <-ticker.C:
				p.show()
			}
		}
	})
	return func() {
		close(done)
		group.Wait()
		p.live.Clear()
	}
}
