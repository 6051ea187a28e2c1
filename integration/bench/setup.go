package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/weir-collect/weir/integration/harness"
	"github.com/weir-collect/weir/integration/sourcesite"
	"github.com/weir-collect/weir/internal/stack"
	"github.com/weir-collect/weir/internal/stack/stacktest"
)

// rig is what a benchmark runs on: a stack of its own, sites, and a fleet.
type rig struct {
	stack *stack.Stack
	sites []*sourcesite.Site
	fleet *harness.Fleet
	data  string
}

// newRig starts a stack and one site per source; options get the sites' hosts, in their order.
func newRig(ctx context.Context, o harness.Options) (*rig, error) {
	data, err := os.MkdirTemp("", "weir-bench-")
	if err != nil {
		return nil, fmt.Errorf("make the benchmark's folder: %w", err)
	}
	r := &rig{data: data}
	r.stack, err = stack.Start(ctx, stack.Options{
		Binary: os.Getenv(stacktest.EnvBinary), Data: data, NoWeb: true, Progress: os.Stderr,
	})
	if err != nil {
		return nil, errors.Join(err, r.close())
	}
	for i := range o.Sources {
		site, err := sourcesite.Start(fmt.Sprintf("127.0.0.%d", i+2))
		if err != nil {
			return nil, errors.Join(err, r.close())
		}
		r.sites = append(r.sites, site)
		o.Sources[i].Host = site.Host
	}
	if r.fleet, err = harness.New(ctx, r.stack, o); err != nil {
		return nil, errors.Join(err, r.close())
	}
	return r, nil
}

func (r *rig) close() error {
	var problems []error
	if r.fleet != nil {
		problems = append(problems, r.fleet.Close())
	}
	for _, s := range r.sites {
		s.Close()
	}
	if r.stack != nil {
		problems = append(problems, r.stack.Stop(context.Background()))
	}
	return errors.Join(append(problems, os.RemoveAll(r.data))...)
}
