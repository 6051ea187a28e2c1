package workflows_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/lease"
	"github.com/weir-collect/weir/workflows"
)

func TestCeilingsLeasePermitsOnceConfigured(t *testing.T) {
	t.Parallel()
	o := firstOwner(t)
	unknown := o.renew(1*time.Second, wants("a", 1, 9))
	configured := o.configure(2*time.Second, books(4))
	granted := o.renew(3*time.Second, wants("a", 2, 9))
	rows := o.table(4 * time.Second)
	o.run()

	require.True(t, unknown.granted(t).Configure, "it wants the configuration")
	require.Equal(t, lease.WhyUnknown, unknown.granted(t).Answer.Grants[0].Why)
	require.Zero(t, unknown.permits(t))
	require.NoError(t, configured.err)
	require.False(t, granted.granted(t).Configure)
	require.Equal(t, 4, granted.permits(t))
	require.Equal(t, lease.Millis(15_000), granted.granted(t).Answer.TTL)
	require.Len(t, *rows, 1)
	require.Equal(t, 4, (*rows)[0].Granted)
	require.Equal(t, "a", (*rows)[0].Workers[0].Worker)
}

func TestCeilingsNeverLeaseMoreThanTheCeiling(t *testing.T) {
	t.Parallel()
	o := firstOwner(t)
	o.configure(time.Second, books(4))
	first := o.renew(2*time.Second, wants("a", 1, 9))
	second := o.renew(3*time.Second, wants("b", 1, 9))
	o.run()
	require.Equal(t, 4, first.permits(t))
	require.Zero(t, second.permits(t))
}

func TestCeilingsTakeReleasedPermitsBack(t *testing.T) {
	t.Parallel()
	o := firstOwner(t)
	o.configure(time.Second, books(4))
	o.renew(2*time.Second, wants("a", 1, 9))
	release := wants("a", 0, 0)
	release.Release = true
	released := o.renew(3*time.Second, release)
	rows := o.table(4 * time.Second)
	late := o.renew(5*time.Second, wants("a", 2, 9))
	next := o.renew(6*time.Second, wants("b", 1, 9))
	o.run()
	require.Equal(t, workflows.LeaseResult{}, released.granted(t))
	require.Zero(t, (*rows)[0].Exposed)
	require.True(t, late.granted(t).Answer.Released, "what comes late does not bring it back")
	require.Equal(t, 4, next.permits(t))
}

// TestCeilingsKeepTheYoungestConfiguration has a rollout in which old and new processes renew in turn.
func TestCeilingsKeepTheYoungestConfiguration(t *testing.T) {
	t.Parallel()
	by := func(config string, since time.Duration) workflows.LeaseInput {
		return having("w-"+config, 1, config, since)
	}
	tests := map[string]struct {
		config string
		since  time.Duration
		wins   bool
	}{
		"younger":                        {config: "two", since: 2 * time.Second, wins: true},
		"older":                          {config: "two", since: 0},
		"as old, later by name":          {config: "two", since: time.Second, wins: true},
		"as old, earlier by name":        {config: "a", since: time.Second},
		"younger, the same":              {config: "one", since: 2 * time.Second},
		"by a clock that is ahead":       {config: "two", since: time.Hour, wins: true},
		"older, by a clock behind by 1h": {config: "two", since: -time.Hour},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := firstOwner(t)
			o.renew(9*time.Second, by("one", time.Second)) // a worker has it, and goes on having it
			o.configure(10*time.Second, brings("one", time.Second, 4))
			asked := o.renew(11*time.Second, by(test.config, test.since))
			o.configure(12*time.Second, brings(test.config, test.since, 7))
			rows := o.table(13 * time.Second)
			// The process of a later rollout, after whatever the clock of the one before said.
			o.configure(21*time.Second, brings("three", 20*time.Second, 9))
			last := o.table(22 * time.Second)
			state := o.run().State
			require.Equal(t, test.wins, asked.granted(t).Configure)
			want := 4
			if test.wins {
				want = 7
			}
			require.Equal(t, want, (*rows)[0].Ceiling)
			require.Equal(t, 9, (*last)[0].Ceiling)
			require.Equal(t, "three", state.Config)
		})
	}
}

// TestCeilingsWaitForLeasesOfAnOwnerBefore starts owners that may have had a predecessor.
func TestCeilingsWaitForLeasesOfAnOwnerBefore(t *testing.T) {
	t.Parallel()
	const ttl = 16500 * time.Millisecond // of an owner: a tenth more than a worker's
	for name, configured := range map[string]time.Duration{"configured at once": time.Second, "configured later": time.Minute} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newOwner(t, 0, workflows.CeilingsInput{})
			o.configure(configured, books(4))
			early := o.renew(configured+ttl-time.Millisecond, wants("a", 1, 9))
			free := o.renew(configured+ttl, wants("a", 2, 9))
			require.False(t, o.run().State.Unsettled)
			require.Zero(t, early.permits(t))
			require.Equal(t, 4, free.permits(t))
		})
	}
	t.Run("continued before it is configured", func(t *testing.T) {
		t.Parallel()
		next := newOwner(t, 0, workflows.CeilingsInput{}).run()
		require.True(t, next.State.Unsettled)
		o := newOwner(t, time.Minute, next)
		o.configure(time.Minute+time.Second, books(4))
		early := o.renew(time.Minute+2*time.Second, wants("a", 1, 9))
		o.run()
		require.Zero(t, early.permits(t))
	})
	t.Run("continued while it waits", func(t *testing.T) {
		t.Parallel()
		first := newOwner(t, 0, workflows.CeilingsInput{})
		first.configure(time.Second, books(4))
		o := newOwner(t, 10*time.Second, first.run())
		early := o.renew(11*time.Second, wants("a", 1, 9))
		free := o.renew(time.Second+ttl, wants("a", 2, 9))
		o.run()
		require.Zero(t, early.permits(t))
		require.Equal(t, 4, free.permits(t))
	})
}

// TestCeilingsWaitForLongerLeases: while an owner waits for what it cannot know of, another configuration says that leases
// last longer, or requests linger. It waits for as long as that, and for no less if one says that they are shorter.
func TestCeilingsWaitForLongerLeases(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		ttl, linger lease.Millis
		settles     time.Duration
	}{
		"longer leases":   {ttl: 60_000, settles: 10*time.Second + 66*time.Second},
		"longer requests": {ttl: 15_000, linger: 40_000, settles: 10*time.Second + 56500*time.Millisecond},
		"shorter leases":  {ttl: 3_000, settles: time.Second + 16500*time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newOwner(t, 0, workflows.CeilingsInput{})
			o.configure(time.Second, books(4))
			second := brings("two", time.Second, 4)
			second.Settings.TTL, second.Sources[0].Linger = test.ttl, test.linger
			o.configure(10*time.Second, second)
			early := o.renew(test.settles-time.Millisecond, wants("a", 1, 9))
			free := o.renew(test.settles, wants("a", 2, 9))
			third := brings("three", 2*time.Second, 5)
			o.configure(test.settles+time.Second, third)
			after := o.renew(test.settles+2*time.Second, wants("b", 1, 9))
			state := o.run().State
			require.Equal(t, "three", state.Config)
			require.Zero(t, early.permits(t))
			require.Equal(t, 4, free.permits(t))
			require.Equal(t, 1, after.permits(t), "one that is settled stays so")
		})
	}
}

func TestCeilingsRefuseNonsenseFromWorkers(t *testing.T) {
	t.Parallel()
	with := func(change func(*workflows.ConfigureInput)) workflows.ConfigureInput {
		in := books(4)
		in.Config, in.Since = "two", noon.UnixMilli()+1
		change(&in)
		return in
	}
	tests := map[string]struct {
		update string
		in     any
		want   string
	}{
		"no worker":   {collection.UpdateLease, wants("", 1, 1), "lease: the request has no worker: give the process a name that no other ever has"},
		"no sequence": {collection.UpdateLease, wants("a", 0, 1), "lease of a: request 0: number the requests from 1"},
		"no name": {collection.UpdateConfigure, with(func(in *workflows.ConfigureInput) { in.Config = "" }),
			"configure: the configuration has no name: give config the one that renewals use"},
		"bad source": {collection.UpdateConfigure, with(func(in *workflows.ConfigureInput) { in.Sources[0].Ceiling = -1 }),
			`configure: source "books": ceiling: give between 0 and 10000 requests in flight`},
		"bad settings": {collection.UpdateConfigure, with(func(in *workflows.ConfigureInput) { in.Settings.TTL = 1 }),
			"configure: lease settings: ttl_ms is 1 and egress_probation_ms is 60000; give at least 100 and 1"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := firstOwner(t)
			o.configure(time.Second, books(4))
			before := o.table(2 * time.Second)
			r := o.update(3*time.Second, test.update, test.in)
			after := o.table(4 * time.Second)
			state := o.run().State
			r.refused(t, collection.ReasonCommandRefused, test.want)
			require.Equal(t, *before, *after)
			require.Equal(t, "one", state.Config)
			require.Equal(t, lease.Millis(15_000), state.Table.Settings.TTL)
		})
	}
}
