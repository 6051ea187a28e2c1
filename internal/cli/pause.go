package cli

import (
	"github.com/spf13/cobra"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/lease"
)

const pauseLong = `Stop all new requests to a source. Requests under way end by themselves; records
wait, burn no attempts and are charged nothing, until their source's
give_up_after.

` + inForce

const pauseExample = `  weir pause bookshop --reason "they called: their database is down"`

func (a *app) pauseCommand() *cobra.Command {
	return a.reasonedCommand("pause SOURCE", "Stop all new requests to a source", pauseLong, pauseExample, true, operation{
		update: collection.UpdatePause, undo: "weir resume SOURCE",
		said: func(before, after lease.SourceView) (string, bool) {
			if before.Paused != nil {
				return after.Source + " was paused before, and stays so; the reason is now yours", true
			}
			return after.Source + " is paused: no new request", false
		},
	})
}

const resumeLong = `End the pause of a source: its records go on where they waited.

A pause is not all that can keep a source closed: the answer says what else
does.

` + inForce

const resumeExample = `  weir resume bookshop
  weir resume bookshop --reason "their database is back"`

func (a *app) resumeCommand() *cobra.Command {
	return a.reasonedCommand("resume SOURCE", "End the pause of a source", resumeLong, resumeExample, false, operation{
		update: collection.UpdateResume,
		said: func(before, after lease.SourceView) (string, bool) {
			if before.Paused == nil {
				return after.Source + " was not paused; nothing has changed" + stillClosed(after), true
			}
			return after.Source + " is not paused any more" + stillClosed(after), false
		},
	})
}

const breakerLong = `Hold the breaker of a source open, so that nothing gets through, or release it.

A breaker opens and closes by itself: see weir sources. To stop a source for
another reason than its failures, use weir pause.`

const breakerExample = `  weir breaker hold bookshop --reason "every page is a login form"
  weir breaker release bookshop --reason "they have fixed it"`

func (a *app) breakerCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "breaker", Short: "Hold or release the breaker of a source", Long: breakerLong, Example: breakerExample,
		Args: needsCommand, RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.holdCommand(), a.releaseCommand())
	return cmd
}

const holdLong = `Open the breaker of a source and keep it open, whatever the source does, until
it is released. Requests under way end by themselves; records wait, burn no
attempts and are charged nothing, until their source's give_up_after.

` + inForce

const holdExample = `  weir breaker hold bookshop --reason "every page is a login form"`

func (a *app) holdCommand() *cobra.Command {
	return a.reasonedCommand("hold SOURCE", "Open the breaker of a source and keep it open", holdLong, holdExample, true, operation{
		update: collection.UpdateHoldBreaker, undo: "weir breaker release SOURCE --reason TEXT",
		said: func(before, after lease.SourceView) (string, bool) {
			if before.BreakerHeld != nil {
				return "the breaker of " + after.Source + " was held open before, and stays so; the reason is now yours", true
			}
			return "the breaker of " + after.Source + " is held open: no new request", false
		},
	})
}

const releaseLong = `End the hold of a source's breaker, or the wait of one that has opened by itself
or that the source has asked for: one request tries the source, and if it
succeeds, more follow step by step.

` + inForce

const releaseExample = `  weir breaker release bookshop --reason "they have fixed it"`

func (a *app) releaseCommand() *cobra.Command {
	return a.reasonedCommand("release SOURCE", "Let a source be tried again", releaseLong, releaseExample, true, operation{
		update: collection.UpdateReleaseBreaker,
		said: func(before, after lease.SourceView) (string, bool) {
			if before.BreakerHeld == nil && before.Breaker != lease.BreakerOpen {
				return "the breaker of " + after.Source + " was not open; nothing has changed" + stillClosed(after), true
			}
			return "the breaker of " + after.Source + " is released: one request tries the source" + stillClosed(after), false
		},
	})
}
