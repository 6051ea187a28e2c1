package workers

import (
	"context"
	"fmt"
	"strings"

	"go.temporal.io/sdk/client"

	"github.com/weir-collect/weir/activities"
	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/config"
	"github.com/weir-collect/weir/internal/connect"
	"github.com/weir-collect/weir/internal/extract"
	"github.com/weir-collect/weir/internal/fetch"
)

// This file fits packages that the activities must not know to the interfaces that they declare.

// engineResults reads workflow results for the activities.
type engineResults struct{ client client.Client }

// Result waits for a workflow's latest run to end. activities.ErrUnknownToEngine says that there is none.
func (e engineResults) Result(ctx context.Context, workflowID string, into any) error {
	return unknown(e.client.GetWorkflow(ctx, workflowID, "").Get(ctx, into))
}

// destinations open customers' buckets for the activities.
type destinations struct{ connect.Destinations }

// OpenDestination opens one.
func (d destinations) OpenDestination(ctx context.Context, to collection.Destination) (activities.Store, error) {
	store, err := d.Open(ctx, to)
	if err != nil {
		return nil, err // and not a nil store that looks like one
	}
	return store, nil
}

// asked is a source by one of its fetch methods; the method is empty where it has but one.
type asked struct{ source, method string }

// rulebook has the compiled parse rules of every source.
type rulebook map[asked]*extract.Rules

// Rules are a source's compiled parse rules for what a method brings.
func (r rulebook) Rules(source, method string) (*extract.Rules, bool) {
	rules, ok := r[asked{source, method}]
	return rules, ok
}

// learn compiles the rules of a source's methods. What was fetched before the source had methods is read by the first.
func (r rulebook) learn(cfg config.Config, src collection.Source) error {
	names := []string{""}
	for _, m := range src.Methods {
		names = append(names, m.Name)
	}
	for _, method := range names {
		by, _ := src.By(method)
		rules, err := extract.Compile(by.Parse, cfg.SchemaOf(src.Name, method))
		if err != nil {
			return fmt.Errorf("parse rules of source %s: %w", strings.TrimSpace(src.Name+" "+method), err)
		}
		r[asked{src.Name, method}] = rules
	}
	return nil
}

// checkRequest says whether a request can be built for a record, by every method of its source: nobody knows which one it
// will be.
func checkRequest(s collection.Source, r collection.Record) error {
	if len(s.Methods) == 0 {
		_, err := fetch.BuildRequest(s, r)
		return err
	}
	for _, m := range s.Methods {
		by, _ := s.By(m.Name)
		if _, err := fetch.BuildRequest(by, r); err != nil {
			return fmt.Errorf("method %s: %w", m.Name, err)
		}
	}
	return nil
}
