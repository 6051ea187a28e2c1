package workflows_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/internal/lease"
	"github.com/weir-collect/weir/workflows"
)

// having is the renewal of a worker with a configuration, of a process that started at a time since noon.
func having(worker string, sequence int64, config string, since time.Duration) workflows.LeaseInput {
	in := wants(worker, sequence, 1)
	in.Config, in.Since = config, noon.Add(since).UnixMilli()
	return in
}

// brings hands such a configuration over.
func brings(config string, since time.Duration, ceiling int) workflows.ConfigureInput {
	in := books(ceiling)
	in.Config, in.Since = config, noon.Add(since).UnixMilli()
	return in
}

// others says of each worker whether it has another configuration than the one in force.
func others(t *testing.T, rows *[]lease.SourceView) map[string]bool {
	t.Helper()
	require.Len(t, *rows, 1)
	others := map[string]bool{}
	for _, w := range (*rows)[0].Workers {
		if !w.Lost {
			others[w.Worker] = w.OtherConfig
		}
	}
	return others
}

// TestCeilingsLeaveAConfigurationThatNobodyHas: in a rollout an old process is started once more after the new ones, and
// soon ended. When its lease is over, the new configuration comes into force, whatever the clocks say of the starts.
func TestCeilingsLeaveAConfigurationThatNobodyHas(t *testing.T) {
	t.Parallel()
	o := firstOwner(t)
	o.renew(1*time.Second, having("new", 1, "new", -20*time.Second))
	o.configure(2*time.Second, brings("new", -20*time.Second, 7))
	o.renew(3*time.Second, having("old", 1, "old", -10*time.Second))
	o.configure(4*time.Second, brings("old", -10*time.Second, 4))
	outvoted := o.renew(6*time.Second, having("new", 2, "new", -20*time.Second))
	still := o.renew(19*time.Second, having("new", 3, "new", -20*time.Second))
	early := o.table(19*time.Second + time.Millisecond)
	free := o.renew(20*time.Second, having("new", 4, "new", -20*time.Second))
	o.configure(21*time.Second, brings("new", -20*time.Second, 7))
	after := o.renew(22*time.Second, having("new", 5, "new", -20*time.Second))
	rows := o.table(23 * time.Second)
	again := o.renew(24*time.Second, having("old", 2, "old", -10*time.Second))
	require.Equal(t, "new", o.run().State.Config)

	require.False(t, outvoted.granted(t).Configure)
	require.Equal(t, "old", outvoted.granted(t).Config, "it is told what is in force")
	require.False(t, still.granted(t).Configure, "the old one may only be slow")
	require.Equal(t, map[string]bool{"new": true, "old": false}, others(t, early))
	require.True(t, free.granted(t).Configure)
	require.Equal(t, "new", after.granted(t).Config)
	require.Equal(t, 7, (*rows)[0].Ceiling)
	require.Equal(t, map[string]bool{"new": false}, others(t, rows))
	require.True(t, again.granted(t).Configure, "one that comes back after all is the younger one again")
}

// TestCeilingsKnowAClockThatIsAhead: a process whose clock is an hour ahead says that it started in the future. It neither keeps
// its configuration in force in the next rollout nor takes it back, whether or not the clocks of the new ones are ahead as well.
func TestCeilingsKnowAClockThatIsAhead(t *testing.T) {
	t.Parallel()
	for name, since := range map[string]time.Duration{"one clock": 10 * time.Second, "both clocks": time.Hour} {
		for program, tells := range map[string]bool{"": true, ", of a program that does not tell its name": false} {
			t.Run(name+program, func(t *testing.T) {
				t.Parallel()
				bring := func(worker string, since time.Duration, ceiling int) workflows.ConfigureInput {
					in := brings(worker, since, ceiling)
					if tells {
						in.Worker = worker
					}
					return in
				}
				o := firstOwner(t)
				o.renew(1*time.Second, having("old", 1, "old", time.Hour))
				o.configure(2*time.Second, bring("old", time.Hour, 4))
				first := o.renew(10*time.Second, having("new", 1, "new", since))
				o.configure(11*time.Second, bring("new", since, 7))
				var asked []*reply
				for n := range int64(3) {
					at := time.Duration(12+5*n) * time.Second
					asked = append(asked, o.renew(at, having("old", 2+n, "old", time.Hour)))
					if tells { // else what it is not asked for is not known to be its own
						o.configure(at+time.Second, bring("old", time.Hour, 4))
					}
					asked = append(asked, o.renew(at+2*time.Second, having("new", 2+n, "new", since)))
				}
				require.Equal(t, "new", o.run().State.Config)
				require.True(t, first.granted(t).Configure)
				for n, r := range asked {
					require.False(t, r.granted(t).Configure, "renewal %d", n)
					require.Equal(t, "new", r.granted(t).Config)
				}
			})
		}
	}
}

// TestCeilingsKeepAConfigurationThatSomebodyMayHave: what is not known of a worker is not taken as a no; a process from the
// beginning of time, such as a probe, has no say at all; and a released worker has nothing.
func TestCeilingsKeepAConfigurationThatSomebodyMayHave(t *testing.T) {
	t.Parallel()
	o := firstOwner(t)
	o.renew(1*time.Second, having("old", 1, "old", -10*time.Second))
	o.configure(2*time.Second, brings("old", -10*time.Second, 4))
	state := o.state(o.run())
	state.Table.Workers[0].Config = "" // as a program wrote it that did not know of it
	next := newOwner(t, 3*time.Second, workflows.CeilingsInput{State: &state})
	unknown := next.renew(4*time.Second, having("new", 1, "new", -20*time.Second))
	next.configure(5*time.Second, brings("new", -20*time.Second, 7))
	rows := next.table(6 * time.Second)
	release := wants("old", 0, 0)
	release.Release = true
	next.renew(7*time.Second, release)
	probe := having("probe", 1, "probe", 0)
	probe.Since = 0
	probed := next.renew(8*time.Second, probe)
	bring := brings("probe", 0, 9)
	bring.Since = 0
	next.configure(9*time.Second, bring)
	released := next.renew(10*time.Second, having("new", 2, "new", -20*time.Second))
	last := next.table(11 * time.Second)
	next.run()

	require.False(t, unknown.granted(t).Configure)
	require.Equal(t, 4, (*rows)[0].Ceiling)
	require.False(t, probed.granted(t).Configure)
	require.True(t, released.granted(t).Configure)
	require.Equal(t, 4, (*last)[0].Ceiling)
}
