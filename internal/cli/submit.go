package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/config"
	"github.com/weir-collect/weir/internal/cli/screen"
	"github.com/weir-collect/weir/starter"
)

const submitLong = `Upload a file of records and start to collect them.

FILE is CSV with a header, or JSON Lines; plain, gzip or zstd; - reads stdin. A
row needs a url, or a source and the fields from which that source builds its
request. The columns url, source and key are weir's own; all others are the
record's fields.

The id goes to stdout, and is derived from the customer and the file's content:
submitting the same again finds the first submission instead of starting a
second. To collect the same rows again, give an --id of your own. An id is of
one submission for good: another customer or file under it is refused.

A submission that loses rows is partially failed. --tolerate says how many it
may lose: within that the exit code is 0 all the same, and the manifest says so.

With --wait the command stays until the submission has ended, shows its
progress on stderr and then how its rows ended; the exit code says how it went
(weir help exit-codes). Ctrl-C stops the waiting only.

With --output json: {"id", "run_id", "existing"}, and with --wait also
"status", as weir status prints it.`

const submitExample = `  weir submit books.csv --customer acme
  weir submit books.jsonl.gz --customer acme --lane bulk --wait
  zcat today.csv.gz | weir submit - --source bookshop --format csv
  weir submit books.csv --customer acme --tolerate 1% --wait
  weir submit books.csv --customer acme --id books-again`

// submitFlags are the flags of submit.
type submitFlags struct {
	customer, source, id string
	lane, format         choice
	tolerate             string
	wait                 bool
}

func (a *app) submitCommand() *cobra.Command {
	f := &submitFlags{
		lane:   choice{allowed: laneNames(), name: "LANE"},
		format: choice{allowed: []string{"csv", "jsonl"}, name: "FORMAT"},
	}
	cmd := &cobra.Command{
		Use: "submit FILE", Short: "Submit a file of records", Long: submitLong, Example: submitExample,
		Args: exactly(1, "FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withClient(cmd, func(ctx context.Context, c client, cfg config.Config) error {
				return a.submit(ctx, c, cfg, args[0], f)
			})
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&f.customer, "customer", "", "`NAME` of the customer; not needed where the configuration has just one")
	flags.StringVar(&f.source, "source", "", "`NAME` of the source of rows that name none and whose URL belongs to none")
	flags.StringVar(&f.id, "id", "", "`ID` of the submission; derived from the content when not given")
	flags.Var(&f.lane, "lane", "urgent, normal or bulk; normal when not given")
	flags.Var(&f.format, "format", "csv or jsonl; told by the file's name and content when not given")
	flags.StringVar(&f.tolerate, "tolerate", "", "rows that may be lost, a `NUMBER` or a share such as 1%; none when not given")
	flags.BoolVar(&f.wait, "wait", false, "stay until the submission has ended")
	return cmd
}

func laneNames() []string {
	var names []string
	for _, l := range collection.Lanes() {
		names = append(names, string(l))
	}
	return names
}

// submitAnswer is what submit prints as JSON.
type submitAnswer struct {
	starter.Submitted
	Status *collection.SubmissionStatus `json:"status,omitempty"`
}

func (a *app) submit(ctx context.Context, c client, cfg config.Config, file string, f *submitFlags) error {
	request, err := f.request(cfg)
	if err != nil {
		return err
	}
	content, err := openSubmitted(a.world, file, f.format.value)
	if err != nil {
		return err
	}
	defer content.close()
	request.File, request.FileName = content.file, content.name
	submitted, err := c.Submit(ctx, request)
	if err != nil {
		return ofTheCaller(err)
	}
	a.tellSubmitted(submitted, content.name, f.wait)
	answer := submitAnswer{Submitted: submitted}
	if !f.wait {
		if a.wantsJSON() {
			return a.writeJSON(answer)
		}
		return nil
	}
	status, err := a.wait(ctx, c, submitted.ID)
	if err == nil {
		answer.Status = &status
	}
	if a.wantsJSON() {
		// Whoever reads it learns the id even when the waiting was broken off.
		if jsonErr := a.writeJSON(answer); jsonErr != nil {
			return jsonErr
		}
	}
	if err != nil {
		return err
	}
	if !a.wantsJSON() {
		a.showEnd(status)
	}
	return verdictOf(status)
}

// ofTheCaller marks what the caller has to correct: an id that is another submission's.
func ofTheCaller(err error) error {
	var taken *collection.IDTakenError
	var other *collection.ConflictError
	if errors.As(err, &taken) || errors.As(err, &other) {
		return usageError{err}
	}
	return err
}

// request checks what can be checked without the engine. A configuration that lists no customers or no sources is one of
// somebody who only submits; the workers' configuration decides then.
func (f *submitFlags) request(cfg config.Config) (starter.Request, error) {
	r := starter.Request{ID: f.id, Customer: f.customer, Source: f.source, Format: f.format.value, Lane: collection.Lane(f.lane.value)}
	var err error
	if r.Tolerate, err = toleranceOf(f.tolerate); err != nil {
		return r, usageError{err}
	}
	var customers, sources []string
	for _, c := range cfg.Customers {
		customers = append(customers, c.Name)
	}
	for _, s := range cfg.Sources {
		sources = append(sources, s.Name)
	}
	if r.Customer == "" && len(customers) == 1 {
		r.Customer = customers[0]
	}
	if r.Customer == "" {
		return r, usagef("who submits? Give --customer NAME%s", list(": ", customers))
	}
	if err := known("customer", r.Customer, customers); err != nil {
		return r, err
	}
	if err := known("source", r.Source, sources); err != nil {
		return r, err
	}
	if r.ID != "" {
		if err := collection.CheckSubmissionID(r.ID); err != nil {
			return r, usageError{err}
		}
	}
	return r, nil
}

// toleranceOf reads a number of rows, or a share of them in per cent.
func toleranceOf(text string) (*collection.Tolerance, error) {
	if text == "" {
		return nil, nil
	}
	t := collection.Tolerance{}
	var err error
	if percent, isShare := strings.CutSuffix(text, "%"); isShare {
		t.Share, err = strconv.ParseFloat(strings.TrimSpace(percent), 64)
		t.Share /= 100
	} else {
		t.Records, err = strconv.Atoi(text)
	}
	if err == nil {
		err = t.Check()
	}
	if err != nil {
		return nil, fmt.Errorf("--tolerate %q: write a number of rows, such as 10, or a share up to 100%%, such as 1%%", text)
	}
	return &t, nil
}

func known(kind, name string, names []string) error {
	if name == "" {
		return nil
	}
	if err := collection.CheckName(kind, name); err != nil {
		return usageError{err}
	}
	if len(names) == 0 || slices.Contains(names, name) {
		return nil
	}
	return usagef("%s %q is not in the configuration, which has %s", kind, name, list("", names))
}

// list is names as a person reads them, behind an opening if there are any.
func list(opening string, names []string) string {
	const most = 12
	if len(names) == 0 {
		return ""
	}
	if len(names) > most {
		names = append(slices.Clone(names[:most]), fmt.Sprintf("and %d more", len(names)-most))
	}
	return opening + strings.Join(names, ", ")
}

// tellSubmitted prints the id, for programs and people, and says what it means.
func (a *app) tellSubmitted(s starter.Submitted, file string, waits bool) {
	remarks := a.remarks()
	if !a.wantsJSON() {
		fmt.Fprintln(a.world.Stdout, s.ID)
	}
	if s.Existing {
		remarks.Line("already submitted: %s is known as %s, and nothing was started; use --id to collect again",
			screen.Clean(file), s.ID)
	} else {
		remarks.Line("submitted %s", screen.Clean(file))
	}
	if !waits {
		hint(remarks, "follow it", "weir status "+s.ID+" --wait")
	}
}
