package workers

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/activities"
	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/lease"
)

// ttl is the lease of these tests. Time passes only in their bubbles.
const ttl = 15 * time.Second

var settings = lease.Settings{TTL: lease.Milliseconds(ttl)}

// bubble runs a test in which time passes when everybody waits; at its end nobody may be left waiting.
func bubble(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, test)
}

func aTable(t require.TestingT, sources ...lease.SourceConfig) *lease.Table {
	table, err := lease.New(settings)
	require.NoError(t, err)
	require.NoError(t, table.Configure(time.Now(), sources))
	return table
}

// leased is one process's permits and the owner's table, with nothing but calls between them.
type leased struct {
	*Permits
	t     *testing.T
	table *lease.Table
	// ctx ends with the test, also when it fails.
	ctx context.Context
}

func leaseOf(t *testing.T, process int, sources ...lease.SourceConfig) *leased {
	return leaseFrom(t, aTable(t, sources...), "w", process, sources)
}

func leaseFrom(t *testing.T, table *lease.Table, worker string, process int, sources []lease.SourceConfig) *leased {
	return &leased{NewPermits(lease.NewHolder(worker), collected(sources), process, time.Now), t, table, t.Context()}
}

// collected are the sources as a configuration has them.
func collected(leased []lease.SourceConfig) []collection.Source {
	sources := make([]collection.Source, len(leased))
	for i, s := range leased {
		sources[i] = collection.Source{Name: s.Source, Ceiling: s.Ceiling, Prefetch: 2}
	}
	return sources
}

// renew renews as the renewer does, and returns what was asked.
func (r *leased) renew() lease.Request {
	request := r.request()
	r.receive(r.table.Renew(time.Now(), request))
	synctest.Wait()
	return request
}

func (r *leased) setCeiling(source string, ceiling int) {
	require.NoError(r.t, r.table.SetCeiling(time.Now(), source, ceiling, time.Time{}, lease.Note{}))
}

// woken says whether somebody has asked for an early renewal since the last look.
func (r *leased) woken() bool {
	select {
	case <-r.wake:
		return true
	default:
		return false
	}
}

// taken is how many requests are in flight.
func (r *leased) taken(source string) int {
	for _, load := range r.Loads() {
		if load.Source == source {
			return load.InFlight
		}
	}
	require.FailNow(r.t, "no such source", source)
	return 0
}

// granted is how many permits the process may use now.
func (r *leased) granted(source string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.holder.Grant(r.now(), source).Permits
}

// want is what a request says of a source.
func want(t require.TestingT, request lease.Request, source string) lease.Want {
	for _, w := range request.Sources {
		if w.Source == source {
			return w
		}
	}
	require.FailNow(t, "the request does not name the source", source)
	return lease.Want{}
}

// job is a collect that waits for a permit, or has it.
type job struct {
	cancel  context.CancelFunc
	done    chan struct{}
	permit  context.Context
	release func()
	err     error
	// at is when it was let in.
	at time.Time
}

// collect begins to wait for a permit.
func (r *leased) collect(source string) *job {
	ctx, cancel := context.WithCancel(r.ctx)
	j := &job{cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(j.done)
		var permit *activities.Permit
		if permit, j.err = r.Acquire(ctx, source); j.err == nil {
			j.permit, j.release = permit.Context, permit.Release
		}
		j.at = time.Now()
	}()
	synctest.Wait()
	return j
}

func (r *leased) collects(source string, n int) []*job {
	jobs := make([]*job, n)
	for i := range jobs {
		jobs[i] = r.collect(source)
	}
	return jobs
}

// runs says whether the collect has its permit.
func (j *job) runs() bool {
	select {
	case <-j.done:
		return j.err == nil
	default:
		return false
	}
}

// end gives the permit back, or stops waiting for it.
func (j *job) end() {
	j.cancel()
	<-j.done
	if j.err == nil {
		j.release()
	}
	synctest.Wait()
}

// endOne ends one of those that have a permit.
func endOne(t require.TestingT, jobs []*job) {
	for _, j := range jobs {
		if j.runs() && j.permit.Err() == nil {
			j.end()
			return
		}
	}
	require.FailNow(t, "none has a permit")
}

// running is how many have been let in.
func running(jobs []*job) (running int) {
	for _, j := range jobs {
		if j.runs() {
			running++
		}
	}
	return running
}

// endAll ends what is left, and checks that every permit has come back.
func (r *leased) endAll(jobs []*job) {
	for _, j := range jobs {
		j.end()
	}
	r.requireEmpty()
}

func (r *leased) requireEmpty() {
	require.True(r.t, r.idle())
	inside, _ := r.process.load()
	require.Zero(r.t, inside, "room in the process was lost")
	for name, s := range r.sources {
		require.Zero(r.t, known(s.gate), "a permit of %s was lost", name)
		require.Empty(r.t, s.waiting, "somebody still counts as waiting for %s", name)
	}
}
