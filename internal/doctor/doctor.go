package doctor

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// Level says how bad a finding is.
type Level string

// The levels, the best first.
const (
	OK Level = "ok"
	// Skipped: it could not be looked at, for a reason that another finding names.
	Skipped Level = "skipped"
	// Warn: weir works, and not as well or as safely as it should; or something cannot be seen from here.
	Warn Level = "warn"
	// Fail: weir does not work so.
	Fail Level = "fail"
)

var order = []Level{OK, Skipped, Warn, Fail}

// Finding is what a check has found.
type Finding struct {
	// Check is the check's name; a check may find several things.
	Check string `json:"check"`
	Level Level  `json:"level"`
	// What is how it is.
	What string `json:"what"`
	// Mend is one sentence that says what to do; empty where nothing is to be done.
	Mend string `json:"mend,omitempty"`
}

// Worst is the worst level of the findings; OK without any.
func Worst(findings []Finding) Level {
	worst := 0
	for _, f := range findings {
		worst = max(worst, slices.Index(order, f.Level))
	}
	return order[worst]
}

// Check looks at one thing. Its findings need no name: they get the check's.
type Check struct {
	Name string
	// About is what it looks at, for help.
	About string
	Run   func(ctx context.Context) []Finding
}

// Names are the names of checks.
func Names(checks []Check) []string {
	names := make([]string, len(checks))
	for i, c := range checks {
		names[i] = c.Name
	}
	return names
}

// Only keeps the checks of these names, in their own order; all of them without any name.
func Only(checks []Check, names []string) ([]Check, error) {
	for _, name := range names {
		if !slices.Contains(Names(checks), name) {
			return nil, fmt.Errorf("there is no check %q: use %s", name, strings.Join(Names(checks), ", "))
		}
	}
	if len(names) == 0 {
		return checks, nil
	}
	return slices.DeleteFunc(slices.Clone(checks), func(c Check) bool { return !slices.Contains(names, c.Name) }), nil
}

// Run runs the checks side by side, each for so long at most, and returns what they found in the order of the checks. A
// check that does not end in time has failed; what it goes on doing is not waited for.
func Run(ctx context.Context, checks []Check, within time.Duration) []Finding {
	found := make([][]Finding, len(checks))
	var all sync.WaitGroup
	for i, c := range checks {
		all.Go(func() { found[i] = c.within(ctx, within) })
	}
	all.Wait()
	return slices.Concat(found...)
}

func (c Check) within(ctx context.Context, within time.Duration) []Finding {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	done := make(chan []Finding, 1)
	go func() { done <- c.Run(ctx) }()
	var found []Finding
	select {
	case found = <-done:
	case <-ctx.Done():
		select {
		case found = <-done: // it has just ended, perhaps for this very reason, and says more
		case <-time.After(grace):
			found = []Finding{fail(fmt.Sprintf("no result within %s", within), "look at what is slow, and run weir doctor --only "+c.Name)}
		}
	}
	for i := range found {
		found[i].Check = c.Name
	}
	return found
}

// grace is what a check has left to say what kept it, once its time is over.
const grace = 500 * time.Millisecond

func fine(format string, args ...any) Finding {
	return Finding{Level: OK, What: fmt.Sprintf(format, args...)}
}

func skipped(why string) []Finding { return []Finding{{Level: Skipped, What: why}} }

func warn(what, mend string) Finding { return Finding{Level: Warn, What: what, Mend: mend} }

func fail(what, mend string) Finding { return Finding{Level: Fail, What: what, Mend: mend} }
