package cli

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/config"
	"github.com/weir-collect/weir/internal/cli/screen"
	"github.com/weir-collect/weir/starter"
)

// rehearsedGroup is a group of dead letters as a dry run tells of it: its records are those that would be run again.
type rehearsedGroup struct {
	deadGroup
	WithoutRaw int `json:"without_raw"`
	NotSettled int `json:"not_settled"`
}

// rehearsal is what a replay would do.
type rehearsal struct {
	groups     []deadGroup
	left       map[groupName]*rehearsedGroup
	withoutRaw int
	// refused counts the dead letters of submissions that cannot be replayed now, and why says why of one.
	refused int
	why     error
}

// groupName is what the dead letters of a group have in common.
type groupName struct {
	source, customer string
	reason           collection.Reason
}

// rehearse counts what a replay would run again, and what it would leave.
func (a *app) rehearse(ctx context.Context, c client, filter starter.DeadFilter, from collection.ReplayFrom, cfg config.Config) error {
	r := &rehearsal{left: map[groupName]*rehearsedGroup{}}
	var err error
	if r.groups, err = ownedGroups(r.noting(c.Rehearse(ctx, filter, from)), cfg); err != nil {
		return err
	}
	if len(r.groups) == 0 {
		return a.noDeadLetters(filter, cfg, "")
	}
	var runs []deadGroup
	for _, g := range r.groups {
		told := rehearsedGroup{deadGroup: g}
		if left := r.left[groupName{g.Source, g.Customer, g.Reason}]; left != nil {
			told.WithoutRaw, told.NotSettled = left.WithoutRaw, left.NotSettled
			told.Records -= left.WithoutRaw + left.NotSettled
		}
		if a.wantsJSON() {
			if err := a.writeJSON(told); err != nil {
				return err
			}
		}
		runs = append(runs, told.deadGroup)
	}
	if !a.wantsJSON() {
		a.showRehearsal(runs, r)
	}
	return nil
}

// noting passes dead letters on, and counts what would be left of them.
func (r *rehearsal) noting(rehearsed iter.Seq2[starter.Rehearsed, error]) iter.Seq2[starter.DeadLetter, error] {
	return func(yield func(starter.DeadLetter, error) bool) {
		for l, err := range rehearsed {
			if err == nil {
				r.note(l)
			}
			if !yield(l.DeadLetter, err) {
				return
			}
		}
	}
}

func (r *rehearsal) note(l starter.Rehearsed) {
	if !l.WithoutRaw && l.Refused == nil {
		return
	}
	name := groupName{l.Source, l.Customer, l.Reason}
	if r.left[name] == nil {
		r.left[name] = &rehearsedGroup{}
	}
	if l.Refused != nil {
		r.left[name].NotSettled++
		r.refused, r.why = r.refused+1, l.Refused
		return
	}
	r.left[name].WithoutRaw++
	r.withoutRaw++
}

func (a *app) showRehearsal(groups []deadGroup, r *rehearsal) {
	out := a.answers()
	showDeadGroups(out, groups, a.world.Now())
	if r.withoutRaw == 0 && r.refused == 0 {
		return
	}
	out.Blank()
	facts := out.NewFacts()
	if r.withoutRaw > 0 {
		facts.AddCell("left", screen.Cell{Style: screen.Notice, Text: withoutRawText(r.withoutRaw)})
	}
	if r.refused > 0 {
		why := r.why.Error()
		for _, known := range []error{starter.ErrNotSettled, starter.ErrNotFound} {
			why = strings.TrimSuffix(why, ": "+known.Error())
		}
		facts.AddCell("left", screen.Cell{Style: screen.Notice, Text: fmt.Sprintf("%s: %s", screen.Plural(r.refused, "record"), why)})
	}
	facts.End()
}

// withoutRawText says of how many records no bytes are kept.
func withoutRawText(n int) string {
	return screen.Plural(n, "record") + ", of which no bytes are kept: use --from collect"
}

// sameCommand is the command line as it was given, with one more flag.
func (a *app) sameCommand(flag string) string {
	words := []string{"weir"}
	for _, arg := range a.world.Args {
		words = append(words, shellQuote(arg))
	}
	return strings.Join(append(words, flag), " ")
}
