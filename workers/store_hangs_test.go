package workers

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/testsuite"

	"github.com/weir-collect/weir/activities"
	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/failure"
	"github.com/weir-collect/weir/internal/lease"
	"github.com/weir-collect/weir/internal/objectstore/memstore"
)

// hanging is a store whose writes hang until it is opened.
type hanging struct {
	*memstore.Store
	opened  chan struct{}
	writing atomic.Int64
}

func (h *hanging) Create(ctx context.Context, key string, body []byte, contentType string) (collection.ObjectInfo, error) {
	h.writing.Add(1)
	defer h.writing.Add(-1)
	select {
	case <-h.opened:
		return h.Store.Create(ctx, key, body, contentType)
	case <-ctx.Done():
		return collection.ObjectInfo{}, ctx.Err()
	}
}

// bodies is a target, and counts whose bodies are in hand: from the request until the last write of what is kept of it.
type bodies struct {
	*hanging
	inHand, most, asked atomic.Int64
}

func (b *bodies) Fingerprint(collection.Source, collection.Record) (string, error) { return "", nil }

func (b *bodies) Target(_ collection.Source, rec collection.Record) (string, error) {
	return rec.URL, nil
}

func (b *bodies) Fetch(_ context.Context, _ collection.Source, rec collection.Record, _ collection.Via) (*collection.Response, failure.Observation) {
	b.asked.Add(1)
	now := b.inHand.Add(1)
	for most := b.most.Load(); now > most && !b.most.CompareAndSwap(most, now); most = b.most.Load() {
	}
	return &collection.Response{URL: rec.URL, Status: 200, Body: []byte(rec.Key), FetchedAt: time.Now()}, failure.Observation{Status: 200}
}

func (b *bodies) Put(ctx context.Context, key string, body []byte, contentType string) (collection.ObjectInfo, error) {
	defer b.inHand.Add(-1)
	return b.Store.Put(ctx, key, body, contentType)
}

// manySources is a configuration.
type manySources struct{}

func (manySources) Source(name string) (collection.Source, bool) {
	return collection.Source{Name: name, Ceiling: 8, Attempts: 3, GiveUpAfter: time.Hour, Robots: collection.RobotsIgnore}, true
}
func (manySources) SourceForHost(string) (collection.Source, bool) { return collection.Source{}, false }
func (manySources) Customer(string) (collection.Customer, bool) {
	return collection.Customer{}, false
}

// TestStoreThatHangs: however many sources let requests through, no more bodies are in hand than the process may hold while
// the store takes none. Nobody's permits are held meanwhile, the owner hears that the process is full and has nothing in
// flight, and once the store goes on everything is collected.
func TestStoreThatHangs(t *testing.T) {
	t.Parallel()
	const sources, records, room = 12, 6, 5
	leased := make([]lease.SourceConfig, sources)
	for i := range leased {
		leased[i] = lease.SourceConfig{Source: fmt.Sprint("source", i), Ceiling: 8}
	}
	r := leaseFrom(t, aTable(t, leased...), "w", room, leased)
	site := &bodies{hanging: &hanging{Store: memstore.New(), opened: make(chan struct{})}}
	rules, err := NewSiteRules(nil, RobotsNeeds{Agent: "tester/1.0 (+https://a.example)"})
	require.NoError(t, err)
	collector := &activities.Collector{
		Store: site, Directory: manySources{}, Fetcher: site, Permits: r.Permits, Robots: rules, Egresses: oneWay{},
		Metrics: silentMetrics{}, Memory: newMemory(1 << 30), Clock: time.Now, Random: func() float64 { return 0.5 },
	}
	stop := r.renewOften()
	var all sync.WaitGroup
	failures := make(chan error, sources*records)
	for i := range sources * records {
		all.Go(func() { failures <- attempt(collector, leased[i%sources].Source, i) })
	}

	require.Eventually(t, func() bool { return site.writing.Load() == room }, 20*time.Second, 5*time.Millisecond)
	time.Sleep(300 * time.Millisecond)
	require.Equal(t, int64(room), site.asked.Load(), "nobody asks for what there is no room for")
	require.True(t, r.idle(), "a permit surrounds the request alone")
	said := want(t, r.request(), "source0")
	require.True(t, said.Full)
	require.Zero(t, said.InFlight)

	close(site.opened)
	all.Wait()
	close(failures)
	for err := range failures {
		require.NoError(t, err)
	}
	require.Equal(t, int64(sources*records), site.asked.Load())
	require.LessOrEqual(t, site.most.Load(), int64(room))
	require.Zero(t, site.inHand.Load())
	stop()
	r.requireEmpty()
}

// attempt makes one attempt to collect a record.
func attempt(c *activities.Collector, source string, n int) error {
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	env.SetTestTimeout(time.Minute)
	env.RegisterActivity(c.Collect)
	url := fmt.Sprintf("https://%s.example/%d", source, n)
	_, err := env.ExecuteActivity(c.Collect, collection.CollectInput{
		Submission: "s1", Customer: "acme", Source: source, AcceptedAt: time.Now(),
		Record: collection.Record{ID: collection.RecordID(source, url), Key: url, URL: url},
	})
	return err
}

// renewOften renews as the renewer does, outside of a bubble, until stop.
func (r *leased) renewOften() (stop func()) {
	ctx, cancel := context.WithCancel(r.ctx)
	var renewing sync.WaitGroup
	renewing.Go(func() {
		for ctx.Err() == nil {
			r.receive(r.table.Renew(time.Now(), r.request()))
			sleep(ctx, 20*time.Millisecond)
		}
	})
	return func() {
		cancel()
		renewing.Wait()
	}
}

// TestRoomOutlivesThePermit: room is given back once, after the request or with it, whoever asks how often; a lease that
// ends takes the permit, and not the room for what is in hand.
func TestRoomOutlivesThePermit(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := leaseOf(t, 2, lease.SourceConfig{Source: "books", Ceiling: 4})
		r.renew()
		one, other := r.acquire("books"), r.acquire("books")
		one.EndRequest()
		one.EndRequest()
		require.ErrorIs(t, one.Context.Err(), context.Canceled)
		require.Equal(t, 1, r.taken("books"))
		waiting := r.collects("books", 3)
		require.Zero(t, running(waiting), "there is a permit, and no room")
		request := r.renew()
		require.True(t, want(t, request, "books").Full)
		require.Equal(t, 1, want(t, request, "books").InFlight)

		one.Release()
		one.Release()
		one.EndRequest()
		synctest.Wait()
		require.Equal(t, 1, running(waiting))
		time.Sleep(ttl)
		require.True(t, r.lapse())
		require.Error(t, other.Context.Err())
		other.EndRequest()
		endLost(t, waiting)
		require.True(t, r.idle())
		inside, _ := r.process.load()
		require.Equal(t, 1, inside, "the body of the lost request is in hand")
		other.Release()
		r.endAll(waiting)
	})
}

// endLost ends those whose permit was lost.
func endLost(t require.TestingT, jobs []*job) {
	for _, j := range jobs {
		if j.runs() {
			require.Error(t, j.permit.Err())
			j.end()
		}
	}
}

// TestDemandWhileTheStoreHangs: permits that a process has no room to use go to another one, and come back when it has.
func TestDemandWhileTheStoreHangs(t *testing.T) {
	bubble(t, func(t *testing.T) {
		at := []lease.SourceConfig{{Source: "books", Ceiling: 4}}
		r := leaseFrom(t, aTable(t, at...), "w", 2, at)
		other := leaseFrom(t, r.table, "w2", 100, at)
		r.renew()
		full := []*activities.Permit{r.acquire("books"), r.acquire("books")}
		waiting := r.collects("books", 2)
		for _, permit := range full {
			permit.EndRequest()
		}
		others := other.collects("books", 6)
		renew := func() {
			for range 12 {
				r.renew()
				other.renew()
				time.Sleep(5 * time.Second)
			}
		}
		renew()
		require.Equal(t, 4, other.taken("books"), "the source is used to its ceiling")
		require.Zero(t, running(waiting))

		for _, permit := range full {
			permit.Release()
		}
		other.endAll(others)
		renew()
		require.Equal(t, 2, running(waiting))
		r.endAll(waiting)
	})
}
