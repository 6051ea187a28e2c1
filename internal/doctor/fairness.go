package doctor

import (
	"context"
	"fmt"
	"time"
)

const (
	enableFairness = "set matching.enableFairness to true in Temporal's dynamic configuration: without it a customer's small " +
		"submission waits behind everybody else's large one"
	// manyWait is how many activities of one customer wait when one of another's comes; turn is by when it must have come
	// for the two to take turns. Without fairness it comes last.
	manyWait, turn = 10, 3
	// queueing is the time in which scheduled activities reach their queue.
	queueing = 500 * time.Millisecond
)

// fairness measures: no setting can be read through Temporal's API.
func (x *exam) fairness(ctx context.Context, e *Engine) []Finding {
	t := newTrial(e, x.Unique())
	defer t.clear(ctx)
	// With several partitions the order is by chance.
	if n, err := countPartitions(ctx, e, t.queue); err == nil && n > 1 {
		return []Finding{warn(fmt.Sprintf("cannot be measured: a queue has %d partitions here, and each has an order of its own", n),
			"see that matching.enableFairness is true in Temporal's dynamic configuration")}
	}
	place, err := t.turns(ctx)
	switch {
	case err != nil:
		return []Finding{warn(fmt.Sprintf("could not be measured: %v", err),
			"see that matching.enableFairness is true in Temporal's dynamic configuration")}
	case place > turn:
		return []Finding{warn(fmt.Sprintf("off: behind %d tasks of one customer, another's single task came as number %d", manyWait, place), enableFairness)}
	}
	return []Finding{fine("on: behind %d tasks of one customer, another's single task came as number %d", manyWait, place)}
}

// turns has many activities of one key wait, then one of another, and tells as which the last comes.
func (t *trial) turns(ctx context.Context) (int, error) {
	for _, c := range []struct {
		key        string
		activities int
	}{{"many", manyWait}, {"one", 1}} {
		if _, err := t.start(ctx, c.key); err != nil {
			return 0, err
		}
		if err := t.schedule(ctx, c.activities); err != nil {
			return 0, err
		}
		select {
		case <-time.After(queueing):
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
	for place := 1; place <= manyWait+1; place++ {
		key, err := t.take(ctx)
		if err != nil {
			return 0, err
		}
		if key == "one" {
			return place, nil
		}
	}
	return 0, fmt.Errorf("%d tasks came, and the one looked for did not", manyWait+1)
}
