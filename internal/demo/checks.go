package demo

import (
	"context"
	"fmt"
	"time"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/cli/screen"
	"github.com/weir-collect/weir/internal/demo/site"
	"github.com/weir-collect/weir/starter"
)

// linkLife is how long the demo's links work.
const linkLife = 24 * time.Hour

// checks compare what has become of a submission with what must have become of it.
type checks struct {
	*show
	rows   []row
	status collection.SubmissionStatus
	// ended is how the rows have ended, by line.
	ended map[int]collection.LedgerRow
	// documents counts the delivered documents that are right.
	documents int
	files     int
	problems  []string
}

func (c *checks) problem(format string, args ...any) {
	c.problems = append(c.problems, fmt.Sprintf(format, args...))
}

// all makes every check that needs the delivery, and shows what it found.
func (c *checks) all(ctx context.Context) error {
	if err := c.readLedger(ctx); err != nil {
		return err
	}
	c.compareRows()
	c.showRows()
	c.showFailures()
	c.compareLoads()
	links, err := c.parts.client.Links(ctx, c.status.Submission, linkLife)
	if err != nil {
		return err
	}
	fetched, err := fetchAll(ctx, links)
	if err != nil {
		return err
	}
	c.compareFiles(fetched)
	c.compareDocuments(fetched)
	return nil
}

func (c *checks) readLedger(ctx context.Context) error {
	c.ended = map[int]collection.LedgerRow{}
	for r, err := range c.parts.client.Records(ctx, c.status.Submission, starter.Filter{}) {
		if err != nil {
			return err
		}
		c.ended[r.Line] = r
	}
	return nil
}

// compareRows finds every row that has not ended as it must, and a submission whose state does not fit.
func (c *checks) compareRows() {
	for _, r := range c.rows {
		if got, ok := c.ended[r.line]; !ok {
			c.problem("line %d, %s: it is not in the ledger", r.line, r.what)
		} else if !r.matches(got) {
			c.problem("line %d, %s: it must end %s, and ended %s", r.line, r.what,
				ending(r.outcome, r.reason), ending(got.Outcome, got.Reason))
		}
	}
	if len(c.ended) != len(c.rows) {
		c.problem("the ledger accounts for %s, the file has %d", screen.Plural(len(c.ended), "row"), len(c.rows))
	}
	// Some rows cannot be delivered, by intention.
	if c.status.State != collection.StatePartiallyFailed {
		c.problem("the submission must end %s, and ended %s", collection.StatePartiallyFailed, c.status.State)
	}
}

func (r row) matches(got collection.LedgerRow) bool {
	return got.Outcome == r.outcome && got.Reason == r.reason
}

func ending(o collection.Outcome, r collection.Reason) string {
	if r == "" || string(r) == string(o) {
		return string(o)
	}
	return fmt.Sprintf("%s (%s)", o, r)
}

// compareLoads looks at the ceilings from the site's side.
func (c *checks) compareLoads() {
	s := c.Screen
	s.Blank()
	table := s.NewTable(screen.Column{Title: "SOURCE"}, screen.Column{Title: "CEILING", Right: true},
		screen.Column{Title: "MOST AT ONCE", Right: true}, screen.Column{Title: "REQUESTS", Right: true}, screen.Column{Title: "SEEN BY THE SITE"})
	for _, source := range []struct {
		name, host string
		ceiling    int
	}{{sourceShop, site.ShopHost, shopCeiling}, {sourceStock, site.StockHost, stockCeiling}} {
		peak := c.parts.site.Peak(source.host)
		verdict := screen.Cell{Text: "never above its ceiling", Style: screen.Good}
		if peak > source.ceiling {
			verdict = screen.Cell{Text: "above its ceiling", Style: screen.Bad}
			c.problem("source %s saw %d requests at once, its ceiling is %d", source.name, peak, source.ceiling)
		}
		table.Row(screen.Text(source.name), screen.Text(screen.Count(source.ceiling)), screen.Text(screen.Count(peak)),
			screen.Text(screen.Count(c.parts.site.Total(source.host))), verdict)
	}
	table.End()
}

// submittedAgain checks that submitting the same file twice is submitting it once.
func (c *checks) submittedAgain(first, again starter.Submitted) {
	if !again.Existing || again.ID != first.ID {
		c.problem("submitting the same file again must find %s, and made %s", first.ID, again.ID)
		return
	}
	c.say("idempotence", "submitting the same file again finds %s and starts nothing", again.ID)
}

// conclude says in a word how it went.
func (c *checks) conclude() error {
	s := c.Screen
	s.Blank()
	if len(c.problems) == 0 {
		s.Line("%s", s.Paint(screen.Good, fmt.Sprintf("Everything is as it must be: %s, %s, %s.", screen.Plural(len(c.rows), "row"),
			screen.Plural(c.documents, "delivered document"), screen.Plural(c.files, "verified file"))))
		return nil
	}
	for _, p := range c.problems {
		s.Line("%s %s", s.Paint(screen.Bad, "differs:"), screen.Clean(p))
	}
	return fmt.Errorf("%w: %s", ErrDiffers, screen.Plural(len(c.problems), "difference"))
}
