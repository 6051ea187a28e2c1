package activities

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"go.temporal.io/sdk/activity"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/quality"
)

// QualityMetrics takes in what the checks of settled submissions find.
type QualityMetrics interface {
	// Breached counts one breach.
	Breached(source string, check collection.QualityKind)
}

// QualityChecks holds settled submissions against their sources' rules. It knows no more of a submission than its counts, and
// what it finds makes no settlement fail.
type QualityChecks struct {
	// Source is a configured source; one that is not known is held against the default rules.
	Source  func(name string) (collection.Source, bool)
	Metrics QualityMetrics
}

// maxQuality bounds what is read of a report or a history.
const maxQuality = 64 << 20

// report are the checks of a submission with these counts. They are made once: whoever settles the same counts again, after
// an interruption or to deliver again, finds what was found then, though other submissions have been settled since. Whoever
// finds other counts, for instance after a replay, makes them anew.
func (q *QualityChecks) report(
	ctx context.Context, store Store, submission string, counts []collection.QualityCounts,
) (collection.QualityReport, error) {
	name, err := json.Marshal(counts)
	if err != nil {
		return collection.QualityReport{}, fmt.Errorf("encode the counts of %s: %w", submission, err)
	}
	key := collection.QualityReportKey(submission, collection.Digest(name))
	report, err := readReport(ctx, store, key, submission)
	if errors.Is(err, collection.ErrObjectMissing) {
		report, err = q.makeReport(ctx, store, key, submission, counts)
	}
	if err != nil {
		return report, err
	}
	for _, entry := range report.Entries {
		if err := remember(ctx, store, entry); err != nil {
			return report, err
		}
	}
	return report, nil
}

// makeReport makes the checks and keeps what they have found. If somebody else was quicker, his word holds.
func (q *QualityChecks) makeReport(
	ctx context.Context, store Store, key, submission string, counts []collection.QualityCounts,
) (collection.QualityReport, error) {
	report := collection.QualityReport{Submission: submission, Entries: []collection.QualityEntry{}, Checks: []collection.QualityCheck{}}
	for _, c := range counts {
		history, _, err := readHistory(ctx, store, c.Source)
		if err != nil {
			return report, err
		}
		rules, fields := q.rules(ctx, c.Source)
		checks, entry := quality.Check(c, fields, history.Submissions, rules)
		report.Checks = append(report.Checks, checks...)
		report.Entries = append(report.Entries, entry)
	}
	body, err := json.Marshal(report)
	if err != nil {
		return report, fmt.Errorf("encode the checks of %s: %w", submission, err)
	}
	_, err = store.Create(ctx, key, body, typeJSON)
	var conflict *collection.ConflictError
	if errors.As(err, &conflict) {
		return readReport(ctx, store, key, submission)
	}
	if err != nil {
		return report, storeFailed(ctx, "write "+key, err)
	}
	if q.Metrics != nil {
		for _, b := range collection.Breaches(report.Checks) {
			q.Metrics.Breached(b.Source, b.Check)
		}
	}
	return report, nil
}

// rules are a source's rules, and the fields that its parse rules have.
func (q *QualityChecks) rules(ctx context.Context, name string) (quality.Rules, []string) {
	var source collection.Source
	if q.Source != nil {
		source, _ = q.Source(name)
	}
	rules, err := quality.RulesOf(source.Checks)
	if err != nil {
		// The configuration was checked when it was loaded.
		activity.GetLogger(ctx).Warn("the source's checks cannot be read, so that its submissions are held against the default ones",
			"source", name, "error", err)
		rules, _ = quality.RulesOf(collection.QualityRules{})
	}
	var fields []string
	for _, parse := range rulesOf(source) {
		for _, f := range parse.Fields {
			fields = append(fields, f.Name)
		}
	}
	return rules, unique(fields)
}

// readReport is a report that stands; collection.ErrObjectMissing when none does.
func readReport(ctx context.Context, store Store, key, submission string) (collection.QualityReport, error) {
	var report collection.QualityReport
	body, err := store.Get(ctx, key, maxQuality)
	if errors.Is(err, collection.ErrObjectMissing) {
		return report, fmt.Errorf("read %s: %w", key, err)
	}
	if err != nil {
		return report, storeFailed(ctx, "read "+key, err)
	}
	if err := json.Unmarshal(body, &report); err != nil || report.Submission != submission {
		return report, finalf(collection.ReasonInternal, "%s holds no checks of %s: delete it, and settle the submission again", key, submission)
	}
	return report, nil
}
