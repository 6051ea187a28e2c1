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
	// Release gives the right back and may be called more than once.
	Release func()
	// Again waits until the source's pace allows another request under the same permit, as a redirect needs one.
	Again func(ctx context.Context) error
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
