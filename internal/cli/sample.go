package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/config"
	"github.com/weir-collect/weir/internal/cli/screen"
	"github.com/weir-collect/weir/starter"
)

const sampleLong = `Show a few records of a submission, chosen by chance, with what was captured
beside what was parsed from it: for a person to look at. Counts do not tell that
a price is a phone number.

Each record that fits is equally likely. The same --seed chooses the same
records again; without it they are new ones every time, and the seed is told.

The beginning of the captured bytes is shown, as text where they are text.
--save FOLDER writes them whole, one file a record, and the parsed document
beside it.

With --output json: JSON Lines, one object a record: {"record", "source", "key",
"url", "outcome", "reason", "detail", "missing", "raw": {"size", "status",
"content_type", "fetched_at", "text" or "hex", "clipped"}, "fields", "files",
"notes"}. What is not there is left out.`

const sampleExample = `  weir sample acme-3f2a9c1b7e10
  weir sample acme-3f2a9c1b7e10 --n 20 --source bookshop --save look
  weir sample acme-3f2a9c1b7e10 --outcome dead_lettered --reason parse_empty`

// sampler is what sample asks.
type sampler interface {
	Sample(ctx context.Context, id string, f starter.Filter, n int, seed uint64) (starter.Sample, error)
	Captured(ctx context.Context, raw collection.Raw) ([]byte, error)
	Document(ctx context.Context, d collection.Delivered) (collection.DeliveredDocument, error)
}

// sampleFlags are the flags of sample.
type sampleFlags struct {
	rows  recordsFlags
	n     int
	seed  uint64
	bytes int
	save  string
}

// defaultShown is how many captured bytes are shown of a record: a screen of text.
const defaultShown = 1200

func (a *app) sampleCommand() *cobra.Command {
	f := &sampleFlags{rows: recordsFlags{outcome: choice{allowed: outcomeNames(), name: "OUTCOME"}}}
	cmd := &cobra.Command{
		Use: "sample ID", Short: "Show some records, captured and parsed", Long: sampleLong, Example: sampleExample,
		Args: exactly(1, "ID"),
		RunE: func(cmd *cobra.Command, args []string) error {
			filter, err := f.rows.filter(args[0])
			if err != nil {
				return err
			}
			if f.rows.outcome.value == "" && f.rows.reason == "" {
				filter.Outcome = collection.OutcomeDelivered
			}
			switch {
			case f.n < 1 || f.n > starter.MaxSample:
				return usagef("--n %d: use 1 to %d records", f.n, starter.MaxSample)
			case f.bytes < 0:
				return usagef("--bytes %d: use a number of bytes to show, or 0 for all", f.bytes)
			case cmd.Flag("save").Changed && f.save == "":
				return usagef("--save is empty: give a folder, or leave it out")
			}
			if !cmd.Flag("seed").Changed {
				f.seed = uint64(a.world.Now().UnixNano()) % 1e9 // short enough to be typed again
			}
			return a.withClient(cmd, func(ctx context.Context, c client, _ config.Config) error {
				return a.sample(ctx, c, args[0], filter, f)
			})
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.IntVar(&f.n, "n", 5, "how many records, `N`")
	flags.Uint64Var(&f.seed, "seed", 0, "`NUMBER` that decides which; a new one every time when not given")
	flags.Var(&f.rows.outcome, "outcome", "of rows that ended so; delivered unless --reason is given: "+strings.Join(outcomeNames(), ", "))
	flags.StringVar(&f.rows.reason, "reason", "", "of rows with this `REASON`, for instance parse_empty")
	flags.StringVar(&f.rows.source, "source", "", "of rows of the source with this `NAME`")
	flags.IntVar(&f.bytes, "bytes", defaultShown, "how many captured bytes to show of each, `N`; 0 shows all")
	flags.StringVar(&f.save, "save", "", "write captured bodies and parsed documents into this `FOLDER`; created if it is missing")
	return cmd
}

func (a *app) sample(ctx context.Context, c client, id string, filter starter.Filter, f *sampleFlags) error {
	if err := a.sampleFolder(f.save); err != nil {
		return err
	}
	chosen, err := c.Sample(ctx, id, filter, f.n, f.seed)
	if err != nil {
		return explainMissing(ctx, c, id, err)
	}
	waiting := unbooked{chosen.Pending, chosen.Ended}
	if chosen.Of == 0 {
		a.remarks().Line("no rows%s", described(filter))
		waiting.remark(a.remarks(), id)
		return nil
	}
	out := a.answers()
	for i, row := range chosen.Rows {
		one, err := a.look(ctx, c, row, f)
		if err != nil {
			return err
		}
		if err := a.answer(one, func() {
			if i > 0 {
				out.Blank()
			}
			out.Line("%s", out.Paint(screen.Strong, fmt.Sprintf("%d of %d  %s", i+1, len(chosen.Rows), screen.Clean(one.Key))))
			showSampled(out, one)
		}); err != nil {
			return err
		}
	}
	a.remarks().Line("%s of %s%s; the same again: --seed %d", screen.Count(len(chosen.Rows)), screen.Plural(chosen.Of, "row"),
		described(filter), f.seed)
	waiting.remark(a.remarks(), id)
	return nil
}

// look reads what was captured of a row and what was parsed from it. What is not kept any more is noted, not an error: the
// other half can still be looked at.
func (a *app) look(ctx context.Context, c client, row collection.LedgerRow, f *sampleFlags) (sampled, error) {
	one := sampledOf(row)
	if row.Raw != nil {
		body, err := c.Captured(ctx, *row.Raw)
		switch {
		case errors.Is(err, starter.ErrNotFound):
			one.note(err)
		case err != nil:
			return one, err
		default:
			one.show(body, f.bytes)
			if err := a.saveCaptured(f.save, &one, body); err != nil {
				return one, err
			}
		}
	}
	if row.Delivered == nil {
		return one, nil
	}
	document, err := c.Document(ctx, *row.Delivered)
	switch {
	case errors.Is(err, starter.ErrNotFound):
		one.note(err)
		return one, nil
	case err != nil:
		return one, err
	}
	one.Fields = document.Fields
	return one, a.saveParsed(f.save, &one, document)
}
