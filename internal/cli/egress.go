package cli

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/weir-collect/weir/config"
	"github.com/weir-collect/weir/internal/cli/screen"
	"github.com/weir-collect/weir/internal/lease"
)

const egressLong = `Show the egresses, the proxies by which sources are asked, as the whole fleet
sees them: those that workers have used within the last day. The direct one is
never retired, and not shown.

  STATE     good, or retired: nobody uses it; or on trial: one worker may try it
            with one request, and everybody else leaves it alone
  IN A ROW  requests in a row that failed by its own fault
  FAULTS    of its requests within five minutes, those that failed by its fault
  SINCE     when it was retired, or came back from that
  UNTIL     when it is tried again, or, on trial, when another worker may try it

An egress is retired when five requests in a row, or half of twenty or more,
have failed by its own fault: it could not be reached, or refused to let us
through. What a site answers counts for the site and not for the egress. A
first retirement lasts a minute, each one in a row twice as long, and half an
hour at most; then one request tries it. There is nothing to do by hand.

With --output json: [{"egress", "state", "faults_in_row", "requests", "faults",
"since", "until", "retirements", "trial", "seen_at"}]; the states are good,
retired and on_trial. What is not known, or not so, is left out.`

const egressExample = `  weir egress
  weir egress --output json | jq -r '.[] | select(.state != "good") | .egress'`

func (a *app) egressCommand() *cobra.Command {
	return &cobra.Command{
		Use: "egress", Short: "Show how the egresses fare, and which are retired", Long: egressLong, Example: egressExample, Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.withClient(cmd, a.egresses) },
	}
}

func (a *app) egresses(ctx context.Context, c client, cfg config.Config) error {
	ways, err := c.Egresses(ctx)
	if err != nil {
		return explainNoTable(err)
	}
	if ways == nil {
		ways = []lease.EgressView{}
	}
	return a.answer(ways, func() { a.tellEgresses(ways, cfg) })
}

func (a *app) tellEgresses(ways []lease.EgressView, cfg config.Config) {
	showEgresses(a.answers(), ways, a.world.Now())
	remarks := a.remarks()
	if len(ways) == 0 {
		none := "no worker has used any egress within the last day"
		if len(cfg.Egresses) == 0 {
			none += ", and the configuration lists none: its sources are asked directly"
		}
		remarks.Line("%s", none)
	}
	if unused := unusedEgresses(cfg, ways); len(unused) > 0 && len(ways) > 0 {
		remarks.Line("%s", list("configured here, and used by no worker within the last day: ", unused))
	}
}

// unusedEgresses are the egresses of the configuration that no worker has reported.
func unusedEgresses(cfg config.Config, ways []lease.EgressView) []string {
	var unused []string
	for _, e := range cfg.Egresses {
		if !slices.ContainsFunc(ways, func(w lease.EgressView) bool { return w.Egress == e.Name }) {
			unused = append(unused, e.Name)
		}
	}
	return unused
}

// showEgresses writes the table of the egresses, and beneath it what is to be said of those that are not in use.
func showEgresses(s *screen.Screen, ways []lease.EgressView, now time.Time) {
	table := s.NewTable(screen.Column{Title: "EGRESS"}, screen.Column{Title: "STATE"}, screen.Column{Title: "IN A ROW", Right: true},
		screen.Column{Title: "FAULTS", Right: true}, screen.Column{Title: "SINCE", Spare: true}, screen.Column{Title: "UNTIL", Spare: true})
	facts := s.NewFacts()
	remarks := 0
	for _, w := range ways {
		table.Row(screen.Text(w.Egress), egressCell(w), screen.Text(rowText(w)), screen.Text(faultsText(w)),
			screen.Text(pastText(w.Since, now)), screen.Text(futureText(w.Until, now)))
		if text := egressRemark(w, now); text != "" {
			facts.AddCell(screen.Clean(w.Egress), screen.Cell{Text: text, Style: egressCell(w).Style})
			remarks++
		}
	}
	table.End()
	if remarks > 0 {
		s.Blank()
		facts.End()
	}
}

func egressCell(w lease.EgressView) screen.Cell {
	switch w.State {
	case lease.EgressGood:
		return screen.Cell{Text: "good", Style: screen.Good}
	case lease.EgressRetired:
		return screen.Cell{Text: "retired", Style: screen.Bad}
	case lease.EgressOnTrial:
		return screen.Cell{Text: "on trial", Style: screen.Notice}
	}
	return screen.Text(string(w.State))
}

// rowText is how many faults in a row there are; nothing for what is retired, of which they are not counted.
func rowText(w lease.EgressView) string {
	if w.State != lease.EgressGood {
		return ""
	}
	return screen.Count(w.FaultsInRow)
}

// faultsText is the recent share of faults; nothing where no request has been seen.
func faultsText(w lease.EgressView) string {
	if w.Requests == 0 {
		return ""
	}
	return fmt.Sprintf("%s of %s (%s)", screen.Count(w.Faults), screen.Count(w.Requests), screen.Percent(w.Faults, w.Requests))
}

func egressRemark(w lease.EgressView, now time.Time) string {
	again := ""
	if w.Retirements > 1 {
		again = fmt.Sprintf("; retired %s times in a row", screen.Count(w.Retirements))
	}
	switch {
	case w.State == lease.EgressOnTrial:
		return fmt.Sprintf("retired; %s may try it with one request%s%s", w.Trial, untilText(w.Until, now), again)
	case w.State != lease.EgressRetired:
		return ""
	case now.Before(w.Until):
		return "retired, since it failed too often: nobody uses it" + untilText(w.Until, now) + again
	}
	return "retired, and due for a trial with the next renewal of a worker" + again
}

// pastText is how long ago a moment was; nothing for none.
func pastText(at, now time.Time) string {
	if at.IsZero() {
		return ""
	}
	return agoText(at, now)
}

// futureText is how far off a moment is; nothing for none.
func futureText(at, now time.Time) string {
	switch left := at.Sub(now); {
	case at.IsZero():
		return ""
	case left < time.Second:
		return "now"
	default:
		return "in " + screen.Duration(left.Round(time.Second))
	}
}
