package starter

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/weir-collect/weir/collection"
)

// Window chooses the submissions of the past.
type Window struct {
	// Customer's submissions alone; empty means everybody's.
	Customer string
	// Since and Until bound the moment of acceptance; Until is left out.
	Since, Until time.Time
	// MaxRecords bounds what is read, newest submissions first; zero means DefaultMaxRecords.
	MaxRecords int
}

// Bounds of what is read of the past.
const (
	// DefaultMaxRecords is read in about a minute, and held as eight bytes each.
	DefaultMaxRecords = 1_000_000
	// maxSubmissions bounds how many plans are read.
	maxSubmissions = 20_000
)

func (w Window) maxRecords() int {
	if w.MaxRecords > 0 {
		return w.MaxRecords
	}
	return DefaultMaxRecords
}

// Coverage is how much of a window was read.
type Coverage struct {
	Since time.Time `json:"since"`
	Until time.Time `json:"until"`
	// Submissions and Records were read.
	Submissions int `json:"submissions"`
	Records     int `json:"records"`
	// Omitted is how many submissions were not looked at, the oldest, because a bound was reached; some of them may be
	// other customers'. Oldest is when the oldest was accepted that was read.
	Omitted int       `json:"omitted_submissions"`
	Oldest  time.Time `json:"oldest,omitzero"`
	// Plans is how many submissions are listed so far, for whoever waits.
	Plans int `json:"-"`
}

func (c *Coverage) read(plan collection.PlanResult, records int) {
	c.Submissions++
	c.Records += records
	if c.Oldest.IsZero() || plan.AcceptedAt.Before(c.Oldest) {
		c.Oldest = plan.AcceptedAt
	}
}

// lister is a Store that can list: the past is found by its plans.
type lister interface {
	List(ctx context.Context, prefix string) iter.Seq2[collection.ObjectInfo, error]
}

// storedPlan is a plan that is there.
type storedPlan struct {
	submission string
	written    time.Time
}

// clockSlack is how far the store's clock may be behind.
const clockSlack = 5 * time.Minute

// storedPlans lists the plans written since a moment, newest first. It walks over every object of every plan: S3 lists
// 1,000 of them with each request.
func (c *Client) storedPlans(ctx context.Context, since time.Time, seen func(n int)) ([]storedPlan, error) {
	store, ok := c.store.(lister)
	if !ok {
		return nil, errors.New("the past cannot be read: this store does not list its objects")
	}
	prefix, suffix, _ := strings.Cut(collection.PlanKey("\n"), "\n")
	var plans []storedPlan
	for info, err := range store.List(ctx, prefix) {
		if err != nil {
			return nil, err
		}
		name, ok := strings.CutSuffix(strings.TrimPrefix(info.Key, prefix), suffix)
		// A plan is written after its submission was accepted.
		if !ok || strings.Contains(name, "/") || info.LastModified.Before(since.Add(-clockSlack)) {
			continue
		}
		plans = append(plans, storedPlan{name, info.LastModified})
		seen(len(plans))
	}
	slices.SortStableFunc(plans, func(a, b storedPlan) int { return b.written.Compare(a.written) })
	return plans, nil
}

// past reads the plans of a window, newest first, and hands each to read, which says how many records it took. Reading ends
// with the records that may be read.
func (c *Client) past(ctx context.Context, w Window, progress func(Coverage), read func(collection.PlanResult) (int, error)) (Coverage, error) {
	covered := Coverage{Since: w.Since, Until: w.Until}
	plans, err := c.storedPlans(ctx, w.Since, func(n int) {
		covered.Plans = n
		progress(covered)
	})
	if err != nil {
		return covered, err
	}
	looked := 0
	for plan, err := range inOrder(ctx, min(len(plans), maxSubmissions), func(ctx context.Context, i int) (collection.PlanResult, error) {
		return c.pastPlan(ctx, plans[i].submission)
	}) {
		if err != nil {
			return covered, err
		}
		if covered.Records >= w.maxRecords() {
			break
		}
		looked++
		// One without an id was deleted since it was listed.
		if plan.Submission == "" || w.Customer != "" && plan.Customer != w.Customer ||
			plan.AcceptedAt.Before(w.Since) || !plan.AcceptedAt.Before(w.Until) {
			continue
		}
		n, err := read(plan)
		if err != nil {
			return covered, err
		}
		covered.read(plan, n)
		progress(covered)
	}
	covered.Omitted = len(plans) - looked
	return covered, nil
}

// pastPlan is a plan that was listed, or none if it has gone since.
func (c *Client) pastPlan(ctx context.Context, id string) (collection.PlanResult, error) {
	plan, err := documentIfThere[collection.PlanResult](ctx, c.store, collection.PlanKey(id), maxDocument)
	if plan == nil {
		return collection.PlanResult{}, err
	}
	return *plan, nil
}
