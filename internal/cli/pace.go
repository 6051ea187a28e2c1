package cli

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/lease"
)

const paceLong = `Set how many requests may start per second at a source, over the whole fleet
and whatever the configuration says, for a while or for good.

RATE is a number of requests per second, or per another unit: 5, 0.5, 30/min,
100/h; none means that there is no pace. The crawl delay that the source's
robots.txt asks for holds all the same.

` + inForce

const paceExample = `  weir pace bookshop 2 --reason "they asked for it"
  weir pace bookshop 30/min --for 12h
  weir pace bookshop none
  weir pace bookshop --reset`

// paceNone is the word for no pace.
const paceNone = "none"

// largestPace is the largest that a configuration may have, in requests per second.
const largestPace = 10_000

func (a *app) paceCommand() *cobra.Command {
	f := &overrideFlags{}
	cmd := &cobra.Command{
		Use: "pace SOURCE RATE", Short: "Set how many requests may start per second at a source", Long: paceLong,
		Example: paceExample, Args: between(1, 2, "SOURCE RATE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			in, err := f.command(cmd, args, a.world.Now())
			if err != nil {
				return err
			}
			op := operation{update: collection.UpdateSetPace, command: in, said: saidOfPaceReset}
			if !f.reset {
				pace, err := parsePace(args[1])
				if err != nil {
					return err
				}
				op.command.Pace, op.said, op.undo = &pace, saidOfPace, "weir pace "+in.Source+" --reset"
			}
			return a.operate(cmd, op)
		},
	}
	f.register(cmd)
	a.belowZero(cmd, func(text string) error {
		_, err := parsePace(text)
		return err
	})
	return cmd
}

var paceUnits = map[string]time.Duration{"s": time.Second, "min": time.Minute, "h": time.Hour}

// parsePace reads a pace as requests per second; zero means none, and cannot be written otherwise: whoever writes 0 wants
// the opposite.
func parsePace(text string) (float64, error) {
	if text == paceNone {
		return 0, nil
	}
	number, name, hasUnit := strings.Cut(text, "/")
	unit := time.Second
	if hasUnit {
		unit = paceUnits[name]
	}
	value, err := strconv.ParseFloat(number, 64)
	if err != nil || unit == 0 {
		return 0, usagef("pace %q: write it as 5, 0.5, 30/min, 100/h or none", text)
	}
	pace := value / unit.Seconds()
	if value == 0 {
		return 0, usagef("pace %s would let no request through: use weir pause for that, or none for no pace", text)
	}
	if !(pace >= lease.Rate(1).PerSecond() && pace <= largestPace) {
		return 0, usagef("pace %s: use more than 0 and at most %d requests per second, or none for no pace", text, largestPace)
	}
	return pace, nil
}

// paceText is a pace in the unit in which it is one or more, to three digits.
func paceText(r lease.Rate) string {
	switch perSecond := r.PerSecond(); {
	case r >= lease.Unlimited:
		return paceNone
	case r <= 0:
		return "0"
	case perSecond >= 1:
		return threeDigits(perSecond) + "/s"
	case perSecond*time.Minute.Seconds() >= 0.999:
		return threeDigits(perSecond*time.Minute.Seconds()) + "/min"
	default:
		return threeDigits(perSecond*time.Hour.Seconds()) + "/h"
	}
}

// threeDigits is a number rounded to three digits, without an exponent and without zeros behind a point.
func threeDigits(v float64) string {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(v, 'e', 2, 64), 64)
	if err != nil {
		return fmt.Sprint(v)
	}
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}

func saidOfPace(before, after lease.SourceView) (string, bool) {
	text := fmt.Sprintf("the pace of %s is %s now", after.Source, paceText(after.Pace))
	if before.Pace != after.Pace {
		text += ", and was " + paceText(before.Pace)
	}
	return text, false
}

func saidOfPaceReset(before, after lease.SourceView) (string, bool) {
	if before.PaceOverride == nil {
		return fmt.Sprintf("the pace of %s was the configured one, %s; nothing has changed", after.Source, paceText(after.Pace)), true
	}
	return fmt.Sprintf("the pace of %s is the configured one again, %s; it was %s", after.Source, paceText(after.Pace),
		paceText(before.Pace)), false
}
