package activities

import (
	"context"
	"errors"

	"github.com/weir-collect/weir/collection"
)

// EgressError says that robots.txt could not be read for the fault of an egress, or for want of one. It says nothing of the
// site, and is as good as the same fault of the record's own request.
type EgressError struct {
	// Reason is one whose fault is an egress's.
	Reason collection.Reason
	// Egress is by which way it was asked; empty where none was left, which is egress_unavailable.
	Egress string
	// Detail is one sentence for a person.
	Detail string
}

// Error is the sentence.
func (e *EgressError) Error() string { return e.Detail }

// clear says where the request goes, if it may go there. A record of which no request can be made fails as one that was
// tried; so does one whose host turns out, when its robots.txt is asked for, to be none that could be asked.
func (r *collectRun) clear(ctx context.Context, src collection.Source, rec collection.Record) (string, error) {
	target, err := r.Fetcher.Target(src, rec)
	if err != nil {
		return "", &collection.Refused{Reason: collection.ReasonBadRequest, Detail: err.Error()}
	}
	r.wait("robots")
	waitCtx, stopWaiting := r.untilStop()
	defer stopWaiting()
	decision, err := r.Robots.Check(waitCtx, src, target)
	var refused *collection.Refused
	var egress *EgressError
	switch {
	case errors.As(err, &refused):
		if ofRobots(refused.Reason) {
			r.decided(decision)
		}
		return "", refused
	case errors.As(err, &egress) && ctx.Err() == nil:
		return "", r.noWay(src, egress)
	case err != nil:
		return "", r.broken(ctx, waitCtx, err)
	}
	r.decided(decision)
	return target, nil
}

// ofRobots says whether a refusal is robots.txt's own: any other is of a host that could not be asked for it.
func ofRobots(reason collection.Reason) bool {
	return reason == collection.ReasonRobotsDenied || reason == collection.ReasonRobotsUnreachable
}

// noWay is the end of an attempt that came to no answer of the site's because of an egress: it is told from then on as if
// the record's own request had met the fault.
func (r *collectRun) noWay(src collection.Source, fault *EgressError) error {
	if fault.Egress == "" {
		return r.noEgress(fault.Detail)
	}
	if len(src.Egress.Use) > 0 {
		r.line.Egress = fault.Egress
	}
	r.update(func(p *collection.AttemptProgress) { p.BadEgress = r.line.Egress })
	return &collection.Refused{Reason: fault.Reason, Detail: fault.Detail}
}

// hop is what lets a redirect pass, and keeps the fault of an egress that kept it from being checked.
type hop struct {
	pass  func(ctx context.Context, url string) error
	fault *EgressError
}

func (h *hop) follow(ctx context.Context, url string) error {
	err := h.pass(ctx, url)
	errors.As(err, &h.fault)
	return err
}
