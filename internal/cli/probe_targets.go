package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/config"
	"github.com/weir-collect/weir/internal/cli/screen"
	"github.com/weir-collect/weir/internal/fetch"
	"github.com/weir-collect/weir/internal/intake"
	"github.com/weir-collect/weir/internal/urlkey"
)

// probeTargets are the source, and the records to ask for.
func (a *app) probeTargets(cfg config.Config, source string, f *probeFlags) (collection.Source, []collection.Record, error) {
	if err := f.check(); err != nil {
		return collection.Source{}, nil, err
	}
	if err := checkSource(source); err != nil {
		return collection.Source{}, nil, err
	}
	src, ok := cfg.Source(source)
	if !ok {
		return src, nil, usagef("source %q is not in the configuration: a probe needs to know how it is asked", source)
	}
	if use := src.Egress.Use; len(use) > 0 && !slices.Contains(use, collection.EgressDirect) {
		return src, nil, usagef("source %s is asked by way of %s only, and a probe asks directly: it would go out by a way that is not allowed",
			source, strings.Join(use, ", "))
	}
	pick := targetPicker{cfg: cfg, src: src}
	if len(f.urls) > 0 {
		for _, url := range f.urls {
			rec := collection.Record{URL: url}
			if err := pick.check(rec); err != nil {
				return src, nil, usagef("--url %s: %w", url, err)
			}
			pick.records = append(pick.records, rec)
		}
		return src, pick.records, nil
	}
	if err := a.readTargets(&pick, f); err != nil {
		return src, nil, err
	}
	a.remarkOnRows(pick, f.file)
	if len(pick.records) == 0 {
		if pick.refusal != nil {
			return src, nil, usagef("%s has no target of source %s: %w", f.file, source, pick.refusal)
		}
		return src, nil, usagef("%s has no target of source %s", f.file, source)
	}
	return src, pick.records, nil
}

func (a *app) readTargets(pick *targetPicker, f *probeFlags) error {
	content, err := openSubmitted(a.world, f.file, f.format.value)
	if err != nil {
		return err
	}
	defer content.close()
	if _, err := content.file.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("read %s: %w", f.file, err)
	}
	reader, err := intake.Open(content.file, intake.Options{Name: content.name, Format: f.format.value})
	if err != nil {
		return err
	}
	for len(pick.records) < mostTargets {
		row, err := reader.Next()
		var bad *intake.RowError
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.As(err, &bad):
			pick.refuse(err)
		case err != nil:
			return err
		default:
			pick.take(row)
		}
	}
	return nil
}

// remarkOnRows says what of a file is not asked for.
func (a *app) remarkOnRows(pick targetPicker, file string) {
	remarks := a.remarks()
	file = screen.Clean(file)
	if pick.others > 0 {
		remarks.Line("%s: left out %s of other sources", file, screen.Plural(pick.others, "row"))
	}
	if pick.refused > 0 {
		remarks.Line("%s: left out %s that cannot be asked for; the first: %s", file, screen.Plural(pick.refused, "row"),
			screen.Clean(pick.refusal.Error()))
	}
	if len(pick.records) == mostTargets {
		remarks.Line("%s: took the first %s", file, screen.Plural(mostTargets, "target"))
	}
}

// targetPicker picks the records of one source from a file's rows.
type targetPicker struct {
	cfg     config.Config
	src     collection.Source
	records []collection.Record
	// others counts rows of other sources; refused those that cannot be asked for, and refusal says why of the first.
	others, refused int
	refusal         error
}

func (p *targetPicker) refuse(err error) {
	p.refused++
	if p.refusal == nil {
		p.refusal = err
	}
}

func (p *targetPicker) take(row intake.Row) {
	rec, source, err := targetOf(row)
	if err != nil {
		p.refuse(fmt.Errorf("line %d: %w", row.Line, err))
		return
	}
	if source == "" {
		if owner, ok := p.owner(rec.URL); ok {
			source = owner
		}
	}
	if source != "" && source != p.src.Name {
		p.others++
		return
	}
	if err := p.check(rec); err != nil {
		p.refuse(fmt.Errorf("line %d: %w", row.Line, err))
		return
	}
	p.records = append(p.records, rec)
}

// owner is the source that a URL belongs to.
func (p *targetPicker) owner(url string) (string, bool) {
	host, err := urlkey.Host(url)
	if err != nil {
		return "", false
	}
	src, ok := p.cfg.SourceForHost(host)
	return src.Name, ok
}

// check says whether a record can be asked of the source.
func (p *targetPicker) check(rec collection.Record) error {
	if owner, _ := p.owner(rec.URL); rec.URL != "" && p.src.Request.URL == "" && owner != p.src.Name {
		return fmt.Errorf("its host is none of source %s's", p.src.Name)
	}
	by, ok := p.src.By("")
	if !ok {
		return fmt.Errorf("source %s has no method", p.src.Name)
	}
	_, err := fetch.BuildRequest(by, rec)
	return err
}

// targetOf takes a row's url and source apart from the record's fields, as submitting does.
func targetOf(row intake.Row) (rec collection.Record, source string, err error) {
	rec.Line = row.Line
	fields := map[string]any{}
	for name, value := range row.Fields {
		text, isText := value.(string)
		text = strings.TrimSpace(text)
		switch column := strings.ToLower(strings.TrimSpace(name)); {
		case column != "url" && column != "source" && column != "key":
			fields[name] = value
		case column == "key" || value == nil:
		case !isText:
			return rec, "", fmt.Errorf("%s must be text", column)
		case column == "url":
			rec.URL = text
		default:
			source = text
		}
	}
	if len(fields) > 0 {
		if rec.Fields, err = json.Marshal(fields); err != nil {
			return rec, "", fmt.Errorf("encode the row's fields: %w", err)
		}
	}
	return rec, source, nil
}
