package workers

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/failure"
	"github.com/weir-collect/weir/internal/fetch"
	"github.com/weir-collect/weir/internal/fetch/proxytest"
	"github.com/weir-collect/weir/internal/lease"
)

// outing is a process that makes real requests through real proxies, with its permits left out.
type outing struct {
	t        *testing.T
	table    *lease.Table
	leases   *Permits
	egresses *Egresses
	client   *fetch.Client
	src      collection.Source
}

func goOut(t *testing.T, proxies map[string]*proxytest.Proxy, use ...string) *outing {
	var egresses []collection.Egress
	for name, p := range proxies {
		egresses = append(egresses, collection.Egress{
			Name: name, Type: name[:len(name)-2], Address: p.Address(), User: "user", Password: "password", AllowPrivateAddress: true,
		})
	}
	permits := NewPermits(lease.NewHolder("w"), nil, 1, time.Now)
	client := fetch.New(fetch.Options{
		Egresses: egresses,
		Secret:   func(ref string) (string, error) { return ref, nil },
	})
	t.Cleanup(client.Close)
	return &outing{
		t: t, table: aTable(t), leases: permits, egresses: NewEgresses(permits), client: client,
		src: collection.Source{
			Name: "shop", Hosts: []string{"*.example"}, Ceiling: 2, AllowPrivateAddresses: true, Timeout: 5 * time.Second,
			Egress: collection.EgressUse{Use: use},
		},
	}
}

func (o *outing) renew() { o.leases.receive(o.table.Renew(time.Now(), o.leases.request())) }

// retired are the egresses that the owner has retired.
func (o *outing) retired() (names []string) {
	o.renew()
	for _, s := range o.leases.holder.Egress() {
		names = append(names, s.Egress)
	}
	return names
}

// collect tries a record until it has an answer, or as often as its reason lets it, and says what it met. It renews where
// the renewer would.
func (o *outing) collect(url string) (met []collection.Reason) {
	avoid := ""
	for {
		name, err := o.egresses.Choose(o.src, collection.Record{}, avoid)
		require.NoError(o.t, err)
		_, seen := o.client.Fetch(o.t.Context(), o.src, collection.Record{URL: url}, collection.Via{Egress: name})
		reason := failure.Classify(seen)
		o.egresses.Report(name, reason)
		select {
		case <-o.leases.wake:
			o.renew()
		default:
		}
		if reason == "" {
			return met
		}
		met, avoid = append(met, reason), name
		// One that is never retried, and six tries of the others, which stand for a source's give-up time.
		decision := failure.Decide(failure.PolicyOf(o.src), failure.History{Reason: reason, SameReason: len(met)}, 0)
		if !decision.Retry || len(met) == 6 {
			return met
		}
	}
}

func sites(t *testing.T, hosts ...string) map[string]string {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/403" {
			w.WriteHeader(http.StatusForbidden)
		}
	}))
	t.Cleanup(site.Close)
	targets := map[string]string{}
	for _, host := range hosts {
		targets[host+":80"] = site.Listener.Addr().String()
	}
	return targets
}

// TestOneDeadEgressOfThree: with one egress dead and one whose password is wrong, every record succeeds by the third, and
// the faults stay few.
func TestOneDeadEgressOfThree(t *testing.T) {
	targets := sites(t, "a.example")
	wrong := proxytest.SOCKS5(t, proxytest.Behaviour{User: "user", Password: "another"})
	good := proxytest.HTTP(t, proxytest.Behaviour{User: "user", Password: "password", Targets: targets})
	o := goOut(t, map[string]*proxytest.Proxy{"http-1": proxytest.Dead(), "socks5-2": wrong, "http-3": good}, "http-1", "socks5-2", "http-3")
	faults := 0
	for i := range 100 {
		if i%5 == 0 {
			o.renew()
		}
		met := o.collect("http://a.example/")
		require.LessOrEqual(t, len(met), 2, "%v", met)
		for _, reason := range met {
			require.Equal(t, failure.FaultEgress, failure.Lookup(reason).Fault)
			require.False(t, failure.Lookup(reason).Charged)
		}
		faults += len(met)
	}
	t.Logf("figure: 100 records by three egresses, two of them bad: %d faults", faults)
	require.LessOrEqual(t, faults, 2*lease.EgressFaultsInRow)
	require.Equal(t, []string{"http-1", "socks5-2"}, o.retired())
	// On a busy machine a connection is now and then not free again when the next request comes.
	require.Less(t, good.Accepted(), 10, "its tunnel is kept")
}

// C3 42: a record that no egress serves goes round them, ever more slowly, until its source's give_up_after, and then fails
// alone, as expired; the run goes on meanwhile by the same ways. Proxies come back, so no number of rounds ends it before.
func TestCase42OneRecordExhaustsTheWaysOut(t *testing.T) {
	targets := sites(t, "a.example")
	targets["dead.example:80"] = "127.0.0.1:1" // nothing listens there
	one := proxytest.HTTP(t, proxytest.Behaviour{Targets: targets})
	two := proxytest.HTTP(t, proxytest.Behaviour{Targets: targets})
	o := goOut(t, map[string]*proxytest.Proxy{"http-1": one, "http-2": two}, "http-1", "http-2")
	require.Len(t, o.collect("http://dead.example/"), 6)
	for i := range 20 {
		require.Empty(t, o.collect(fmt.Sprintf("http://a.example/%d", i)))
	}
	require.Empty(t, o.retired(), "none goes for it")

	// The rest of its day, by the policy of production.
	src := o.src
	src.Attempts, src.GiveUpAfter, src.Backoff = 5, 24*time.Hour, collection.Backoff{Min: time.Second, Max: 5 * time.Minute}
	elapsed, tries := time.Duration(0), 0
	for {
		tries++
		d := failure.Decide(failure.PolicyOf(src), failure.History{
			Reason: collection.ReasonEgressUnavailable, SameReason: tries, Elapsed: elapsed,
		}, 0.5)
		if !d.Retry {
			require.Equal(t, collection.OutcomeDeadLettered, d.End)
			require.Equal(t, collection.ReasonExpired, d.Reason)
			break
		}
		require.Positive(t, d.After)
		elapsed += d.After
	}
	require.Greater(t, elapsed, 23*time.Hour)
	require.Less(t, tries, 500, "it never becomes a loop")
}

// TestTargetsRefusalsRetireNobody: a target that refuses every request does not cost the fleet an egress, nor does one that
// a SOCKS5 proxy reports as closed.
func TestTargetsRefusalsRetireNobody(t *testing.T) {
	proxy := proxytest.SOCKS5(t, proxytest.Behaviour{Targets: sites(t, "a.example")})
	o := goOut(t, map[string]*proxytest.Proxy{"socks5-1": proxy}, "socks5-1")
	for range 20 {
		require.Equal(t, []collection.Reason{collection.ReasonBlocked}, o.collect("http://a.example/403"))
	}
	proxy.Behave(proxytest.Behaviour{Reply: 5})
	for range 4 {
		require.Contains(t, o.collect("http://b.example/"), collection.ReasonConnectFailed)
	}
	require.Empty(t, o.retired())
}
