package activities

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	neturl "net/url"
	"slices"
	"strings"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/intake"
	"github.com/weir-collect/weir/internal/urlkey"
)

// The columns that weir itself reads; their names are matched without regard to case. Every other column is a field of
// the record.
const (
	columnURL    = "url"
	columnSource = "source"
	columnKey    = "key"
)

// rowResolver turns a submitted row into a record of a source.
type rowResolver struct {
	directory Directory
	check     func(collection.Source, collection.Record) error
	// fallback is the source of rows that name none and whose URL belongs to none.
	fallback string
	// customer is who wants the rows collected; empty for an operator, who may use every source.
	customer string
}

// record is the row's source and record, or the refusal of the row.
func (r rowResolver) record(row intake.Row) (string, collection.Record, *collection.FailureRow) {
	rec := collection.Record{Line: row.Line}
	known, fields, err := splitRow(row.Fields)
	if err != nil {
		return "", rec, refuse(row.Line, "", collection.ReasonRowMalformed, err)
	}
	rec.URL = known[columnURL]
	src, err := r.source(known[columnSource], rec.URL)
	if err == nil && r.customer != "" && !src.Serves(r.customer) {
		err = fmt.Errorf("source %s is not for customer %s: name another source, or have the customer added to its customers", src.Name, r.customer)
	}
	if err != nil {
		return "", rec, refuse(row.Line, "", collection.ReasonSourceUnknown, err)
	}
	if len(fields) > 0 {
		// A map's keys are sorted by the encoder: the same fields are the same bytes.
		if rec.Fields, err = json.Marshal(fields); err != nil {
			return "", rec, refuse(row.Line, src.Name, collection.ReasonRowMalformed, err)
		}
	}
	if rec.Key, err = recordKey(known[columnKey], src, rec); err != nil {
		return "", rec, refuse(row.Line, src.Name, collection.ReasonRowMalformed, err)
	}
	if err := r.check(src, rec); err != nil {
		return "", rec, refuse(row.Line, src.Name, collection.ReasonRowMalformed, err)
	}
	rec.ID = collection.RecordID(src.Name, rec.Key)
	return src.Name, rec, nil
}

// ResolveRow says which source's record a row is, as Plan does. check says whether a request can be made of the record;
// fallback is the source of a row that names none and whose URL belongs to none. The error is a sentence about the row.
func ResolveRow(
	directory Directory, check func(collection.Source, collection.Record) error, fallback string, row intake.Row,
) (source string, record collection.Record, err error) {
	source, record, refused := rowResolver{directory: directory, check: check, fallback: fallback}.record(row)
	if refused != nil {
		return source, record, errors.New(refused.Detail)
	}
	return source, record, nil
}

func refuse(line int, source string, reason collection.Reason, err error) *collection.FailureRow {
	return &collection.FailureRow{
		Line: line, Source: source, Outcome: collection.OutcomeInvalid, Reason: reason,
		Detail: collection.Clip(err.Error(), collection.MaxDetail),
	}
}

// splitRow takes the columns that weir reads apart from the record's own fields.
func splitRow(row map[string]any) (known map[string]string, fields map[string]any, err error) {
	known, fields = map[string]string{}, map[string]any{}
	// In a fixed order, so that a row with two faults is always refused for the same one.
	for _, name := range slices.Sorted(maps.Keys(row)) {
		value, column := row[name], strings.ToLower(strings.TrimSpace(name))
		switch column {
		case columnURL, columnSource, columnKey:
		default:
			fields[name] = value
			continue
		}
		if _, twice := known[column]; twice {
			return nil, nil, fmt.Errorf("the row has more than one %s", column)
		}
		switch v := value.(type) {
		case nil:
		case string:
			known[column] = strings.TrimSpace(v)
		case json.Number:
			known[column] = v.String()
		default:
			return nil, nil, fmt.Errorf("%s must be text", column)
		}
	}
	return known, fields, nil
}

// source finds the row's source: the named one, else the one that owns the URL's host, else the submission's.
func (r rowResolver) source(name, url string) (collection.Source, error) {
	host := ""
	if url != "" {
		// A URL that has no host is refused below, when its request is built, with a better sentence.
		host, _ = urlkey.Host(url)
	}
	if name != "" {
		src, ok := r.directory.Source(name)
		if !ok {
			return src, fmt.Errorf("source %q is not in the configuration", collection.Clip(name, collection.MaxKeyShown))
		}
		return src, ownHost(src, host)
	}
	if src, ok := r.directory.SourceForHost(host); ok && host != "" {
		return src, nil
	}
	if src, ok := r.directory.Source(r.fallback); ok && r.fallback != "" {
		return src, ownHost(src, host)
	}
	switch {
	case host == "" && url != "":
		return collection.Source{}, fmt.Errorf("url %q is not an http or https URL", shownURL(url))
	case host == "":
		return collection.Source{}, errors.New("the row names no source and has no url: add a column url or source")
	}
	return collection.Source{}, fmt.Errorf("no source owns the host %s: add it to a source's hosts", host)
}

// shownURL is what a row has as its URL, for people: clipped, and without a password.
func shownURL(url string) string {
	if u, err := neturl.Parse(url); err == nil && u.User != nil {
		url = u.Redacted()
	}
	return collection.Clip(url, collection.MaxKeyShown)
}

// ownHost refuses a URL that would be requested under another source's ceiling.
func ownHost(src collection.Source, host string) error {
	if host == "" || !src.AsksRecordURL() || src.Owns(host) {
		return nil
	}
	return fmt.Errorf("the host %s is none of source %s's hosts", host, src.Name)
}

// recordKey is the record's key: the caller's own, else the normalised URL, else the canonical JSON of the fields.
func recordKey(own string, src collection.Source, rec collection.Record) (string, error) {
	switch {
	case own != "":
		return own, nil
	case rec.URL != "":
		return urlkey.Key(rec.URL)
	case src.AsksRecordURL():
		return "", fmt.Errorf("the row has no url, and source %s builds none", src.Name)
	case len(rec.Fields) > 0:
		return string(rec.Fields), nil
	}
	return "", fmt.Errorf("the row is empty")
}
