package workflows

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/weir-collect/weir/internal/lease"
)

// ceilingsTitle says what the workflow is for. The static summary says so as well, but only to those who look at its first
// run: continuing as new takes no summary along, and the SDK cannot give one to the next run.
const ceilingsTitle = "Every source's ceiling, pace, pause and breaker, for the whole fleet. " +
	"Operators change it with `weir pause`, `weir ceiling` and so on.\n\n"

// details shows the table in Temporal Web, as it was when the last update had been handled.
func (c *ceilings) details(ctx workflow.Context) {
	workflow.SetCurrentDetails(ctx, ceilingsTitle+ceilingsMarkdown(c.rows())+egressesMarkdown(c.egresses()))
}

// rows are the table as a person looks at it, with what the table itself does not know: which configuration is in force.
func (c *ceilings) rows() []lease.SourceView {
	rows := c.state.Table.View(c.state.Table.Now)
	for _, r := range rows {
		for i := range r.Workers {
			config := c.state.Table.ConfigOf(r.Workers[i].Worker)
			r.Workers[i].OtherConfig = config != "" && config != c.state.Config
		}
	}
	return rows
}

func (c *ceilings) egresses() []lease.EgressView {
	return c.state.Table.ViewEgresses(c.state.Table.Now)
}

func ceilingsMarkdown(rows []lease.SourceView) string {
	var b strings.Builder
	b.WriteString("| source | ceiling | in force | granted | in flight | waiting | pace | breaker | state |\n")
	b.WriteString("|---|---:|---:|---:|---:|---:|---|---|---|\n")
	for _, r := range rows {
		fmt.Fprintf(&b, "| %s | %s | %d | %d | %d | %d | %s | %s | %s |\n",
			cell(r.Source), cell(ceilingText(r)), r.InForce, r.Granted, r.InFlight, r.Waiting, cell(paceText(r)), r.Breaker, cell(stateText(r)))
	}
	return b.String()
}

// egressesMarkdown names the egresses that are not used; nothing when all are good.
func egressesMarkdown(all []lease.EgressView) string {
	var b strings.Builder
	for _, e := range all {
		if e.State == lease.EgressGood {
			continue
		}
		if b.Len() == 0 {
			b.WriteString("\n| egress | state |\n|---|---|\n")
		}
		text := "retired"
		if e.State == lease.EgressOnTrial {
			text = "on trial by " + e.Trial
		}
		fmt.Fprintf(&b, "| %s | %s |\n", cell(e.Egress), cell(text+untilText(e.Until)))
	}
	return b.String()
}

// cell keeps what people have written from breaking the table.
func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "\r\n", " ", "\n", " ", "\r", " ").Replace(text)
}

func ceilingText(r lease.SourceView) string {
	text := strconv.Itoa(r.Ceiling)
	if o := r.CeilingOverride; o != nil {
		text += ", set" + noteText(&o.Note) + untilText(o.Until)
	}
	return text
}

func paceText(r lease.SourceView) string {
	text := r.Pace.String()
	if o := r.PaceOverride; o != nil {
		text += ", set" + noteText(&o.Note) + untilText(o.Until)
	}
	return text
}

// stateText says whether a source is open, and else why not and until when, and by which method it is fetched where that is
// not the preferred one.
func stateText(r lease.SourceView) string {
	text := closedText(r)
	if o := r.MethodOverride; o != nil {
		return text + "; fetched by " + o.Method + noteText(&o.Note)
	}
	if !r.MethodUntil.IsZero() {
		return text + "; fetched by " + r.Method + untilText(r.MethodUntil)
	}
	return text
}

func closedText(r lease.SourceView) string {
	if r.Open {
		return "open"
	}
	text := string(r.Why)
	switch r.Why {
	case lease.WhyPaused:
		text = "paused" + noteText(r.Paused)
	case lease.WhyBreakerHeld:
		text = "breaker held" + noteText(r.BreakerHeld)
	}
	return text + untilText(r.OpensAt)
}

// noteText says who gave a command and why, as far as that is known.
func noteText(n *lease.Note) string {
	if n == nil {
		return ""
	}
	text := ""
	if n.By != "" {
		text = " by " + n.By
	}
	if n.Reason != "" {
		text += " (" + n.Reason + ")"
	}
	return text
}

func untilText(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return " until " + t.UTC().Format("2006-01-02 15:04:05Z")
}
