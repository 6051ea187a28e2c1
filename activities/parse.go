package activities

import (
	"context"
	"encoding/json"
	"errors"

	"go.temporal.io/sdk/activity"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/extract"
	"github.com/weir-collect/weir/internal/faults"
)

// Parser turns captured responses into documents.
type Parser struct {
	Store    Store
	Rulebook Rulebook
	Metrics  Metrics
	Memory   Memory
}

// Parse applies the source's rules to a captured body. A body that the rules cannot read is final: no retry changes it. So is a
// parser that panics: the bytes that it met are the same the next time.
func (p *Parser) Parse(ctx context.Context, in collection.ParseInput) (collection.ParseResult, error) {
	a := begin(ctx)
	result, err := safely(ctx, "parser", func() (collection.ParseResult, error) { return p.parse(ctx, a, in) })
	countDeadLetter(p.Metrics, in.Source, err)
	return result, a.end(err)
}

func (p *Parser) parse(ctx context.Context, a *attempt, in collection.ParseInput) (collection.ParseResult, error) {
	if err := a.killer(); err != nil {
		return collection.ParseResult{}, err
	}
	faults.Strike("parser", in.Record.ID)
	rules, ok := p.Rulebook.Rules(in.Source, in.Raw.Method)
	if !ok {
		if in.Raw.Method != "" {
			return collection.ParseResult{}, a.methodUnknownHere(in.Source, in.Raw.Method)
		}
		return collection.ParseResult{}, a.unknownHere(in.Source)
	}
	record, err := wholeRecord(ctx, p.Store, in.Record)
	if err != nil {
		return collection.ParseResult{}, err
	}
	held := &bodyRoom{memory: p.Memory, attempt: a}
	defer held.free()
	body, err := p.body(ctx, held, in.Raw)
	if err != nil {
		return collection.ParseResult{}, err
	}
	fields, missing, err := apply(ctx, rules, extract.Input{Body: body, ContentType: in.Raw.ContentType, URL: in.Raw.URL})
	if err != nil {
		return collection.ParseResult{}, err
	}
	document, err := json.Marshal(collection.DeliveredDocument{
		Record: record.ID, Key: record.Key, Source: in.Source, URL: in.Raw.URL, FetchedAt: in.Raw.FetchedAt, Fields: fields,
	})
	if err != nil {
		return collection.ParseResult{}, finalf(collection.ReasonInternal, "the parsed fields cannot be written as JSON: %w", err)
	}
	kept, err := keepDocument(ctx, p.Store, in.Submission, in.Record.ID, document)
	return collection.ParseResult{Document: kept, Missing: missing}, err
}

// body reads the captured bytes, once there is room for them and for what they become.
func (p *Parser) body(ctx context.Context, held *bodyRoom, raw collection.Raw) ([]byte, error) {
	if err := held.take(ctx, raw.Size); err != nil {
		return nil, err
	}
	body, err := p.Store.Get(ctx, raw.Key, raw.Size)
	if errors.Is(err, collection.ErrObjectMissing) {
		return nil, finalf(collection.ReasonInternal, "the raw body %s is gone: replay the record with --from collect", raw.Key)
	}
	if err != nil {
		return nil, storeFailed(ctx, "read the raw body", err)
	}
	if got := collection.Digest(body); got != raw.SHA256 {
		return nil, finalf(collection.ReasonInternal, "the raw body %s has SHA-256 %s instead of %s: replay the record with --from collect",
			raw.Key, got, raw.SHA256)
	}
	if extract.IsPacked(body) {
		return body, held.take(ctx, max(raw.Size, extract.MaxUnpacked))
	}
	return body, nil
}

// apply runs the rules. A response that they do not come to an end with is one that they cannot read: it is not tried until
// the engine gives the worker up for lost.
func apply(ctx context.Context, rules *extract.Rules, in extract.Input) (fields map[string]any, missing []string, err error) {
	reading, cancel := readingTime(ctx)
	defer cancel()
	in.Still = reading.Err
	result, err := rules.Apply(in)
	var refused *extract.Error
	switch {
	case ctx.Err() != nil:
		return nil, nil, ctx.Err()
	case reading.Err() != nil:
		return nil, nil, finalf(collection.ReasonParseInvalid, "the rules take longer on this response than an attempt may last; look at it, and simplify them")
	case errors.As(err, &refused):
		return nil, nil, finalf(refused.Reason, "%s", refused.Detail)
	case err != nil:
		return nil, nil, finalf(collection.ReasonInternal, "the rules could not be applied: %w", err)
	}
	for _, w := range result.Warnings {
		activity.GetLogger(ctx).Warn("the response has a fault that the rules tolerate", "fault", w)
	}
	return result.Fields, result.Missing[:min(len(result.Missing), collection.MaxMissing)], nil
}
