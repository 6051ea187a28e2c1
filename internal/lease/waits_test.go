package lease

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// waiting is a worker that a source has asked to wait for an hour.
type waiting struct {
	t      *testing.T
	table  *Table
	holder *Holder
	now    time.Time
	until  time.Time
}

// newWaiting has a lease, and is asked to wait then.
func newWaiting(t *testing.T) *waiting {
	w := &waiting{t: t, table: newTable(t, SourceConfig{Source: "s", Ceiling: 4}), holder: NewHolder("a"), now: noon}
	w.table.Begin(noon, "run 1", "", false)
	w.renew()
	require.True(t, w.row().Open)
	w.until = w.now.Add(time.Hour)
	return w
}

// next is what it asks at a time: it tells what is left.
func (w *waiting) next() Request {
	use := Use{Source: "s", Waiting: 1}
	if left := w.until.Sub(w.now); left > 0 {
		use.Seen = Report{LongestRetryAfter: Milliseconds(left), Heard: &time.Time{}}
	}
	return w.holder.Next(w.now, []Use{use}, nil)
}

func (w *waiting) renew() Answer {
	answer := w.table.Renew(w.now, w.next())
	w.holder.Receive(w.now, answer)
	return answer
}

func (w *waiting) row() SourceView { return w.table.View(w.now)[0] }

// TestAWaitIsHeardAtOnce from a worker that is there, however new its lease.
func TestAWaitIsHeardAtOnce(t *testing.T) {
	w := newWaiting(t)
	w.renew()
	require.Equal(t, WhyThrottled, w.row().Why)
	require.Equal(t, w.until, w.row().OpensAt)
}

// TestAWaitOfAnOldRequestIsOver: the owner handles nothing for an hour, and then what the worker has sent since, one request
// after the other. What it had to wait then is over; and where it is not, the worker says what is left.
func TestAWaitOfAnOldRequestIsOver(t *testing.T) {
	for name, ended := range map[string]bool{"over": true, "not over": false} {
		t.Run(name, func(t *testing.T) {
			w := newWaiting(t)
			var late []Request
			for range 8 {
				late = append(late, w.next())
				w.now = w.now.Add(4 * time.Second)
			}
			w.now = noon.Add(time.Hour)
			if !ended {
				w.until = w.now.Add(time.Minute)
			}
			var last Answer
			for _, req := range late {
				last = w.table.Renew(w.now, req)
				require.True(t, w.row().Open, "request %d is an hour old", req.Sequence)
			}
			require.Equal(t, Milliseconds(w.table.Settings.soon()), last.RenewIn, "what is left is worth hearing of soon")
			w.holder.Receive(w.now, last) // it is long too late
			w.renew()
			require.True(t, w.row().Open, "what it acts on, it got an hour ago")
			w.now = w.now.Add(time.Second)
			w.renew()
			require.Equal(t, ended, w.row().Open)
			if !ended {
				require.Equal(t, w.until, w.row().OpensAt)
			}
		})
	}
}

// TestAWaitIsHeardThroughALossOfAnswers: while the lease runs, it does not matter which answer came last.
func TestAWaitIsHeardThroughALossOfAnswers(t *testing.T) {
	w := newWaiting(t)
	until := w.until
	w.until = time.Time{}
	for range 2 {
		w.now = w.now.Add(5 * time.Second)
		w.table.Renew(w.now, w.next())
	}
	w.until = until
	w.now = w.now.Add(4 * time.Second)
	w.table.Renew(w.now, w.next())
	require.Equal(t, WhyThrottled, w.row().Why)
}

// TestAWaitOfAnOldProgram: one that does not say which answer it acts on is believed while its lease runs.
func TestAWaitOfAnOldProgram(t *testing.T) {
	for _, epoch := range []string{"", "run 1"} {
		for after, open := range map[time.Duration]bool{16 * time.Second: false, time.Hour: true} {
			w := newWaiting(t)
			w.now = w.now.Add(after)
			w.until = w.now.Add(time.Hour)
			req := w.next()
			req.Epoch, req.TTL, req.Answered = epoch, 15_000, 0
			w.table.Renew(w.now, req)
			require.Equal(t, open, w.row().Open, "epoch %q, after %s", epoch, after)
		}
	}
}
