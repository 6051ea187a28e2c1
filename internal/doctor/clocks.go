package doctor

import (
	"context"
	"fmt"
	"time"

	"go.temporal.io/api/workflowservice/v1"
)

const (
	// noticeable is the skew from which on times that people compare are confusing; S3's own are told to a second only.
	noticeable = 2 * time.Second
	// harmful is the skew from which on requests to S3, which refuses what is a quarter of an hour off, are in danger.
	harmful = 5 * time.Minute

	setClock = "let this machine and the other keep their clocks by NTP"
)

// clocks compares this machine's clock. Leases do not depend on it; hours, overrides with an end, links and S3 do.
func (x *exam) clocks(ctx context.Context) []Finding {
	var found []Finding
	if engine, err := x.engine(); err == nil {
		ahead, doubt, err := x.engineSkew(ctx, engine)
		if err != nil {
			found = append(found, warn(fmt.Sprintf("Temporal's clock cannot be seen: %v", err), setClock))
		} else {
			found = append(found, skewFinding("Temporal's", ahead, doubt))
		}
	}
	if bucket, err := x.bucket(); err == nil {
		if ahead, ok := bucket.skew(); ok {
			found = append(found, skewFinding("the bucket's", ahead, time.Second))
		} else {
			found = append(found, warn("the bucket's clock cannot be seen: its answers carry no date", setClock))
		}
	}
	if len(found) == 0 {
		return skipped("neither Temporal nor the bucket could be asked")
	}
	return found
}

// engineSkew is how far Temporal's clock is ahead of ours, give or take a doubt: the start time of a workflow lies between
// our asking and its answer.
func (x *exam) engineSkew(ctx context.Context, e *Engine) (ahead, doubt time.Duration, err error) {
	t := newTrial(e, x.Unique())
	defer t.clear(ctx)
	asked := x.Now()
	execution, err := t.start(ctx, "clock")
	answered := x.Now()
	if err != nil {
		return 0, 0, err
	}
	described, err := e.Service.DescribeWorkflowExecution(ctx, &workflowservice.DescribeWorkflowExecutionRequest{
		Namespace: e.Namespace, Execution: execution,
	})
	if err != nil {
		return 0, 0, fmt.Errorf("describe a workflow: %w", err)
	}
	doubt = answered.Sub(asked) / 2
	return described.GetWorkflowExecutionInfo().GetStartTime().AsTime().Sub(asked.Add(doubt)), doubt, nil
}

func skewFinding(whose string, ahead, doubt time.Duration) Finding {
	distance, way := ahead, "ahead of"
	if ahead < 0 {
		distance, way = -ahead, "behind"
	}
	what := fmt.Sprintf("%s clock is %s %s this machine's, give or take %s", whose, distance.Round(time.Millisecond), way, doubt.Round(time.Millisecond))
	switch {
	case distance-doubt > harmful:
		return fail(what, setClock+": S3 refuses requests of another time")
	case distance-doubt > noticeable:
		return warn(what, setClock)
	}
	return fine("%s", what)
}
