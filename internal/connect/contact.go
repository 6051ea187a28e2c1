package connect

import (
	"context"
	"errors"
	"sync"
	"time"
)

// again is how long a failed first contact is believed: a command that asks several things of a side that does not answer waits
// for it once.
const again = 5 * time.Second

// Contact is the first contact with a side, made when that is first needed. It is safe for concurrent use; nil is one that
// has been made.
type Contact struct {
	first func(context.Context) error
	now   func() time.Time

	mu     sync.Mutex
	made   bool
	ever   bool
	failed error
	at     time.Time
}

// NewContact is a contact that first makes.
func NewContact(first func(context.Context) error, now func() time.Time) *Contact {
	return &Contact{first: first, now: now}
}

// Make makes the contact unless it stands. One that has just failed fails again without being tried.
func (c *Contact) Make(ctx context.Context) error {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.made {
		return nil
	}
	if c.failed != nil && c.now().Sub(c.at) < again {
		return c.failed
	}
	err := c.first(ctx)
	c.made = err == nil
	c.ever = c.ever || c.made
	if !errors.Is(ctx.Err(), context.Canceled) {
		// Whoever broke off has learned nothing of the side.
		c.failed, c.at = err, c.now()
	}
	return err
}

// Ever says whether the contact has been made once, whatever has come of it since.
func (c *Contact) Ever() bool {
	if c == nil {
		return true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ever
}

// Lose notes that the side has not answered since: it is contacted anew when it is next needed.
func (c *Contact) Lose(err error) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.made, c.failed, c.at = false, err, c.now()
}
