package tryout

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/extract"
	"github.com/weir-collect/weir/internal/failure"
)

// Steps are what a tryout works with.
type Steps struct {
	// Target is where the record's request goes.
	Target func(collection.Source, collection.Record) (string, error)
	// Robots says whether it may; its error is a *collection.Refused if it may not.
	Robots func(ctx context.Context, src collection.Source, url string) (collection.RobotsDecision, error)
	Fetch  func(context.Context, collection.Source, collection.Record, collection.Via) (*collection.Response, failure.Observation)
}

// Report is what each step found; a step that was not reached is nil.
type Report struct {
	Source string `json:"source"`
	Method string `json:"method,omitempty"`
	Egress string `json:"egress,omitempty"`
	// URL is where the request goes.
	URL    string                     `json:"url,omitempty"`
	Robots *collection.RobotsDecision `json:"robots,omitempty"`
	Answer *Answer                    `json:"answer,omitempty"`
	Parse  *Parse                     `json:"parse,omitempty"`
	// Reason is why the record would not be delivered; empty when it would be. Detail is a sentence for a person.
	Reason collection.Reason `json:"reason,omitempty"`
	Detail string            `json:"detail,omitempty"`
	// Certain says that another look would find the same, where the reason is one that is looked at twice.
	Certain bool `json:"certain,omitempty"`
	// Body is what was fetched, after content decoding.
	Body []byte `json:"-"`
}

// Answer is what the target answered.
type Answer struct {
	Status      int               `json:"status,omitempty"`
	URL         string            `json:"url,omitempty"`
	ContentType string            `json:"content_type,omitempty"`
	Size        int64             `json:"size"`
	SHA256      string            `json:"sha256,omitempty"`
	Took        time.Duration     `json:"took_ns"`
	Warnings    []failure.Warning `json:"warnings,omitempty"`
}

// Parse is what the rules found.
type Parse struct {
	Type   string  `json:"type"`
	Fields []Field `json:"fields"`
	// Missing are the rules' fields without a value.
	Missing  []string `json:"missing,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
}

// Field is one field of the document, and the rule that found it.
type Field struct {
	Name  string `json:"name"`
	Value any    `json:"value"`
	Rule  string `json:"rule,omitempty"`
}

// Run takes a record through every step, until one ends it. Its error is of this side: a rule that cannot be applied, a
// context that has ended.
func (s Steps) Run(ctx context.Context, src collection.Source, rec collection.Record, rules *extract.Rules, via collection.Via) (Report, error) {
	report := Report{Source: src.Name, Egress: via.Egress}
	var err error
	if report.URL, err = s.Target(src, rec); err != nil {
		return report.ended(collection.ReasonBadRequest, err.Error()), nil
	}
	decision, err := s.Robots(ctx, src, report.URL)
	var refused *collection.Refused
	if err != nil && !errors.As(err, &refused) {
		return report, err
	}
	if refused == nil || refused.Reason == collection.ReasonRobotsDenied || refused.Reason == collection.ReasonRobotsUnreachable {
		report.Robots = &decision // any other refusal is of a host that could not be asked for one
	}
	if refused != nil {
		report.Certain = refused.Certain
		return report.ended(refused.Reason, refused.Detail), nil
	}
	via.Hop = func(ctx context.Context, url string) error {
		_, err := s.Robots(ctx, src, url)
		return err
	}
	response, seen := s.Fetch(ctx, src, rec, via)
	if ctx.Err() != nil {
		return report, ctx.Err()
	}
	report.Answer = answerOf(response, seen)
	if reason := failure.Classify(seen); reason != "" {
		report.Certain = seen.Certain
		return report.ended(reason, seen.Message), nil
	}
	report.Body = response.Body
	return report.parsed(src, rules, extract.Input{Body: response.Body, ContentType: response.ContentType, URL: response.URL})
}

// Saved parses a body that is here already, as if it had come from url.
func Saved(src collection.Source, rules *extract.Rules, in extract.Input) (Report, error) {
	report := Report{Source: src.Name, Body: in.Body}
	return report.parsed(src, rules, in)
}

func answerOf(response *collection.Response, seen failure.Observation) *Answer {
	answer := &Answer{Status: seen.Status, Size: seen.Bytes, Warnings: seen.Warnings}
	if response != nil {
		answer.URL, answer.ContentType, answer.Took = response.URL, response.ContentType, response.Duration
		answer.Size, answer.SHA256 = int64(len(response.Body)), collection.Digest(response.Body)
	}
	return answer
}

func (r Report) ended(reason collection.Reason, detail string) Report {
	r.Reason, r.Detail = reason, detail
	return r
}

func (r Report) parsed(src collection.Source, rules *extract.Rules, in extract.Input) (Report, error) {
	result, err := rules.Apply(in)
	var refused *extract.Error
	switch {
	case errors.As(err, &refused):
		return r.ended(refused.Reason, refused.Detail), nil
	case err != nil:
		return r, fmt.Errorf("the rules of source %s cannot be applied: %w", src.Name, err)
	}
	r.Parse = &Parse{Type: src.Parse.Type, Missing: result.Missing, Warnings: result.Warnings}
	for _, name := range ordered(src, result.Fields) {
		r.Parse.Fields = append(r.Parse.Fields, Field{Name: name, Value: result.Fields[name], Rule: result.Provenance[name]})
	}
	return r, nil
}

// ordered are the names of fields in the order of the source's rules.
func ordered(src collection.Source, fields map[string]any) []string {
	place := map[string]int{}
	for i, f := range src.Parse.Fields {
		place[f.Name] = i
	}
	return slices.SortedFunc(maps.Keys(fields), func(a, b string) int { return place[a] - place[b] })
}
