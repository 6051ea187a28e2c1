package activities

import (
	"context"
	"time"

	"github.com/weir-collect/weir/collection"
)

// Permit is the right to have one request in flight against a source.
type Permit struct {
	// Context ends when the right is lost; it does not end with the context that Acquire was given.
	Context context.Context
	// EndRequest gives the right back as soon as the request has ended; what it has brought still takes room in the process,
	// until Release. Both may be called more than once.
	EndRequest func()
	// Release gives back the right, if that has not been done, and the room in the process that came with it.
	Release func()
	// Again waits until the source's pace allows another request under the same permit, as a redirect needs one.
	// It fails where that would take long for another reason than the pace, so that the permit is not kept from others.
	Again func(ctx context.Context) error
	// Still says why no request may be written under the permit any more; nil while one may. It looks at the clock, for who
	// asks right before the request goes out. Absent where nothing is leased.
	Still func() error
	// Method is the fetch method that the source is asked by.
	Method string
	// Waited is how long the permit was waited for, and Paced how long the source's pace after it.
	Waited, Paced time.Duration
}

// Within is a context that ends with ctx, or with the permit, whose end is then its cause. end frees what it holds.
func (p *Permit) Within(ctx context.Context) (within context.Context, end func()) {
	out, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(p.Context, func() { cancel(context.Cause(p.Context)) })
	return out, func() {
		stop()
		cancel(nil)
	}
}

// Hop lets a redirect of a request under the permit pass: to where robots.txt lets it, at the source's pace.
func (p *Permit) Hop(robots Robots, src collection.Source) func(ctx context.Context, url string) error {
	return func(ctx context.Context, url string) error {
		if err := robots.CheckHop(ctx, src, url, p); err != nil {
			return err
		}
		return p.Again(ctx)
	}
}
