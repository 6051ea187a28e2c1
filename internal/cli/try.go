package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weir-collect/weir/activities"
	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/config"
	"github.com/weir-collect/weir/internal/extract"
	"github.com/weir-collect/weir/internal/intake"
	"github.com/weir-collect/weir/internal/tryout"
	"github.com/weir-collect/weir/workers"
)

const tryLong = `Take one record through robots.txt, its request and its parse rules on this
machine, and show what each step finds: for writing parse rules. Nothing is
stored, and neither Temporal nor S3 is needed.

RECORD is a URL, or a row as JSON, like one line of a submitted file.

It makes one request (and one for robots.txt) that no ceiling counts: do not
put it into a loop. weir submit collects within the source's ceiling.

--raw FILE parses a body that was saved before, for instance with --save, and
asks nobody; "-" reads it from the standard input.

The exit code is that of the record: 0 when it would be delivered.

With --output json: {"source", "method", "egress", "url", "robots", "answer",
"parse": {"type", "fields": [{"name", "value", "rule"}], "missing",
"warnings"}, "reason", "detail"}.`

const tryExample = `  weir try https://www.bookshop.example/books/17
  weir try https://www.bookshop.example/books/17 --save page.html
  weir try --raw page.html --source bookshop
  weir try '{"source": "catalogue", "id": 17}' --output json | jq .parse.fields`

// trying are the flags of weir try.
type trying struct {
	raw, source, method, egress, url, contentType, save string
}

func (a *app) tryCommand() *cobra.Command {
	var t trying
	cmd := &cobra.Command{
		Use: "try [RECORD]", Short: "Try a source's rules on one record, here", Long: tryLong, Example: tryExample,
		Args: between(0, 1, "RECORD"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if (len(args) == 1) == (t.raw != "") {
				return usagef("give a record, or --raw FILE: one of them")
			}
			cfg, err := a.load(cmd.Flags())
			if err != nil {
				return err
			}
			report, err := a.try(cmd.Context(), cfg, t, args)
			if err != nil {
				return err
			}
			return a.showTry(report, t)
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&t.source, "source", "", "source `NAME`, where the URL or row does not say it")
	flags.StringVar(&t.method, "method", "", "fetch method `NAME` of the source; its first one when not given")
	flags.StringVar(&t.egress, "egress", "", "egress `NAME`, one of those that the source lists; its first one when not given")
	flags.StringVar(&t.save, "save", "", "write what was fetched to `FILE`")
	flags.StringVar(&t.raw, "raw", "", "parse the body in `FILE` instead of asking")
	flags.StringVar(&t.url, "url", "", "with --raw: the `URL` that the body came from, for relative addresses")
	flags.StringVar(&t.contentType, "content-type", "", "with --raw: the Content-Type `HEADER` that it came with")
	return cmd
}

// try runs what was asked for.
func (a *app) try(ctx context.Context, cfg config.Config, t trying, args []string) (tryout.Report, error) {
	if t.raw != "" {
		return a.tryRaw(cfg, t)
	}
	src, record, err := rowOf(cfg, t, args[0])
	if err != nil {
		return tryout.Report{}, usageError{err}
	}
	rules, err := rulesOf(cfg, &src, t.method)
	if err != nil {
		return tryout.Report{}, err
	}
	via, err := wayOf(src, t.egress)
	if err != nil {
		return tryout.Report{}, err
	}
	steps, closeSteps, err := workers.NewTryout(cfg, a.secrets(), via.Egress)
	if err != nil {
		return tryout.Report{}, err
	}
	defer closeSteps()
	report, err := steps.Run(ctx, src, record, rules, via)
	report.Method = t.method
	return report, err
}

// rowOf reads a record as Plan reads a row.
func rowOf(cfg config.Config, t trying, text string) (collection.Source, collection.Record, error) {
	row := intake.Row{Line: 1, Fields: map[string]any{"url": text}}
	if strings.HasPrefix(strings.TrimSpace(text), "{") {
		rows, err := intake.Open(strings.NewReader(text), intake.Options{Name: "the record", Format: "jsonl"})
		if err == nil {
			row, err = rows.Next()
		}
		if err != nil {
			return collection.Source{}, collection.Record{}, fmt.Errorf("the record cannot be read: %w", err)
		}
	}
	name, record, err := activities.ResolveRow(oneMethod{cfg, t.method}, func(collection.Source, collection.Record) error { return nil }, t.source, row)
	if err != nil {
		return collection.Source{}, record, err
	}
	src, _ := cfg.Source(name)
	return src, record, nil
}

// oneMethod is a configuration in which every source is fetched by one method, for what a row must have to be asked for by it.
type oneMethod struct {
	config.Config
	method string
}

// Source is the source with this name.
func (b oneMethod) Source(name string) (collection.Source, bool) {
	src, ok := b.Config.Source(name)
	return b.by(src), ok
}

// SourceForHost is the source that owns a host.
func (b oneMethod) SourceForHost(host string) (collection.Source, bool) {
	src, ok := b.Config.SourceForHost(host)
	return b.by(src), ok
}

func (b oneMethod) by(src collection.Source) collection.Source {
	if b.method == "" {
		return src
	}
	i := slices.IndexFunc(src.Methods, func(m collection.Method) bool { return m.Name == b.method })
	if i < 0 {
		// It wants nothing of a row: that there is no such method is what must be corrected, and noMethod says so.
		src.Methods = []collection.Method{{Request: collection.Request{URL: "none"}}}
		return src
	}
	src.Methods = src.Methods[i : i+1]
	return src
}

// noMethod names the methods that a source has instead.
func noMethod(src collection.Source, method string) error {
	if len(src.Methods) == 0 {
		return usagef("source %s has no method %q: it has no methods, leave out --method", src.Name, method)
	}
	names := make([]string, len(src.Methods))
	for i, m := range src.Methods {
		names[i] = m.Name
	}
	return usagef("source %s has no method %q%s", src.Name, method, list("; its methods are ", names))
}

// rulesOf compiles the rules for what a method brings, and makes the source ask by it.
func rulesOf(cfg config.Config, src *collection.Source, method string) (*extract.Rules, error) {
	by, ok := src.By(method)
	if !ok {
		return nil, noMethod(*src, method)
	}
	*src = by
	rules, err := extract.Compile(src.Parse, cfg.SchemaOf(src.Name, method))
	if err != nil {
		return nil, usageError{fmt.Errorf("the parse rules of source %s: %w", src.Name, err)}
	}
	return rules, nil
}

// wayOf is the egress that was asked for, or the source's first.
func wayOf(src collection.Source, name string) (collection.Via, error) {
	ways := src.Egress.Use
	if len(ways) == 0 {
		ways = []string{collection.EgressDirect}
	}
	if name == "" {
		return collection.Via{Egress: ways[0]}, nil
	}
	for _, way := range ways {
		if way == name {
			return collection.Via{Egress: name}, nil
		}
	}
	return collection.Via{}, usagef("source %s does not go out by %q: it lists %s", src.Name, name, strings.Join(ways, ", "))
}

// maxRaw bounds a saved body, in bytes: the largest that any source may ask for.
const maxRaw = 1 << 30

func (a *app) tryRaw(cfg config.Config, t trying) (tryout.Report, error) {
	src, err := sourceOfRaw(cfg, t)
	if err != nil {
		return tryout.Report{}, err
	}
	rules, err := rulesOf(cfg, &src, t.method)
	if err != nil {
		return tryout.Report{}, err
	}
	body, err := a.readRaw(t.raw)
	if err != nil {
		return tryout.Report{}, usageError{err}
	}
	report, err := tryout.Saved(src, rules, extract.Input{Body: body, ContentType: t.contentType, URL: t.url})
	report.Method = t.method
	return report, err
}

func sourceOfRaw(cfg config.Config, t trying) (collection.Source, error) {
	if t.source == "" && t.url == "" {
		return collection.Source{}, usagef("say whose rules read the body: --source NAME, or --url URL")
	}
	if t.source == "" {
		src, _, err := rowOf(cfg, t, t.url)
		if err != nil {
			return src, usageError{err}
		}
		return src, nil
	}
	src, ok := cfg.Source(t.source)
	if !ok {
		return src, usagef("source %q is not in the configuration", t.source)
	}
	return src, nil
}

func (a *app) readRaw(name string) ([]byte, error) {
	in := a.world.Stdin
	if name != "-" {
		file, err := os.Open(a.world.path(name))
		if err != nil {
			return nil, fmt.Errorf("read the saved body: %w", err)
		}
		defer file.Close()
		in = file
	}
	body, err := io.ReadAll(io.LimitReader(in, maxRaw+1))
	if err == nil && len(body) > maxRaw {
		err = errors.New("it is larger than 1 GiB")
	}
	if err != nil {
		return nil, fmt.Errorf("read the saved body: %w", err)
	}
	return body, nil
}
