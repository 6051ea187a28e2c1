package stack

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/term"
)

const (
	terminalInterval = time.Second
	plainInterval    = 15 * time.Second
)

// reporter tells a person that something long is going on: on a terminal as one line that is rewritten, elsewhere as
// plain lines, which a log can keep.
type reporter struct {
	out      io.Writer
	terminal bool
	interval time.Duration
}

func newReporter(out io.Writer) reporter {
	if out == nil {
		out = io.Discard
	}
	if file, ok := out.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		return reporter{out: out, terminal: true, interval: terminalInterval}
	}
	return reporter{out: out, interval: plainInterval}
}

// during reports now and then until the function that it gives is called.
func (r reporter) during(text string) (done func()) {
	started := time.Now()
	r.print(text, 0)
	stop := make(chan struct{})
	var running sync.WaitGroup
	running.Go(func() {
		ticker := time.NewTicker(r.interval)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				r.print(text, time.Since(started))
			case <-stop:
				if r.terminal {
					fmt.Fprintln(r.out)
				}
				return
			}
		}
	})
	return func() {
		close(stop)
		running.Wait()
	}
}

func (r reporter) print(text string, elapsed time.Duration) {
	line := fmt.Sprintf("%s … %d s", text, int(elapsed.Seconds()))
	if r.terminal {
		// \x1b[K clears what a longer line left behind.
		fmt.Fprintf(r.out, "\r%s\x1b[K", line)
		return
	}
	fmt.Fprintln(r.out, line)
}
