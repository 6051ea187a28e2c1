package guard

import (
	"context"
	"errors"
	"time"

	"github.com/weir-collect/weir/internal/robots"
)

// ErrBrokenOff is to be wrapped by a Fetch that our own side broke off: no permit, a lease lost, a worker that stops. It
// says nothing about the site, so nothing is concluded from it, and everybody who waits gets the error as it is.
var ErrBrokenOff = errors.New("reading robots.txt was broken off on our side")

// Answer is what a site answered when it was asked for its robots.txt.
type Answer struct {
	// Status is that of the last answer, after the redirects that were followed: five at least (section 2.3.1.2).
	Status int
	// Body may end after robots.MaxBytes; more is not read.
	Body []byte
	// FetchedAt is when it came; zero stands for now.
	FetchedAt time.Time
}

// Fetch gets the robots.txt of an origin, "https://example.com" or "http://example.com:8080". It waits for the permit that
// the request wants, so a caller of Check must not hold one already: with a ceiling of 1, both would wait forever. Its
// context has the values of the first call of Check that wanted the file, not its deadline; it ends when nobody waits any
// more. An error means that the site is out of reach, unless it wraps ErrBrokenOff or context.Canceled, or is a
// *collection.Refused: that is what would become of any request to the origin, and goes to everybody who waits as it is. It
// is not remembered, so whoever asks again finds out anew.
type Fetch func(ctx context.Context, origin string) (Answer, error)

// Options are what a Guard works with.
type Options struct {
	Fetch Fetch
	Now   func() time.Time
	// Agent is the user agent of all requests; its product token is what files are searched for.
	Agent string
	// Cache is where the answers are remembered, one for all guards of a process; nil stands for one of the guard's own.
	Cache *Cache
	// TTL is how long an answer is used; 0 stands for robots.DefaultTTL, and robots.MaxTTL is the most.
	TTL time.Duration
	// OnRead is called after each answer that settles an origin's rules, a missing file among them, with the crawl-delay that
	// they ask for; ok is false when they ask for none. It may be nil. It must not call the Guard.
	OnRead func(origin string, delay time.Duration, ok bool)
}

func (o Options) check() (Options, string, error) {
	if o.Fetch == nil || o.Now == nil {
		return o, "", errors.New("a guard wants a fetch function and a clock: set Options.Fetch and Options.Now")
	}
	token, err := robots.Token(o.Agent)
	if o.Cache == nil {
		o.Cache = NewCache(DefaultBytes)
	}
	if o.OnRead == nil {
		o.OnRead = func(string, time.Duration, bool) {}
	}
	return o, token, err
}
