package workers

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/failure"
	"github.com/weir-collect/weir/internal/lease"
	"github.com/weir-collect/weir/internal/robots/guard"
)

// endedUnheard is a context that has ended, of which nobody has heard yet.
type endedUnheard struct {
	context.Context
	ended *bool
}

func (e endedUnheard) Err() error {
	if *e.ended {
		return errLeaseEnded
	}
	return e.Context.Err()
}

// TestRobotsUnderALostPermit: whatever a request for a robots.txt meets whose permit has ended meanwhile, and however little
// that is known yet, it was we who broke it off: the file is not out of reach, the source is not told of it, and the file is
// asked for anew.
func TestRobotsUnderALostPermit(t *testing.T) {
	t.Parallel()
	for met, seen := range map[string]failure.Observation{
		"reset": {Transport: failure.TransportReset, Message: "m"}, "timeout": {Transport: failure.TransportTimeout, Message: "m"},
		"503": {Status: 503, Message: "m"}, "404": {Status: 404, Message: "m"}, "a file": {Status: 200},
	} {
		for how, lose := range map[string]func(cancel context.CancelCauseFunc, ended *bool, still *error){
			"heard of":   func(cancel context.CancelCauseFunc, _ *bool, _ *error) { cancel(errLeaseEnded) },
			"not heard":  func(_ context.CancelCauseFunc, ended *bool, _ *error) { *ended = true },
			"lease only": func(_ context.CancelCauseFunc, _ *bool, still *error) { *still = errLeaseEnded },
		} {
			t.Run(met+", "+how, func(t *testing.T) {
				t.Parallel()
				r := newRuled(t, "User-agent: *\nDisallow: /\n", oneWay{})
				ended := false
				permit, cancel := context.WithCancelCause(t.Context())
				r.permits.context = endedUnheard{permit, &ended}
				still := error(nil)
				r.permits.still = func() error { return still }
				r.host.seen = seen
				r.host.during = func() { lose(cancel, &ended, &still) }
				_, err := r.Check(t.Context(), r.src, "https://books.example/a")
				require.ErrorIs(t, err, guard.ErrBrokenOff)
				require.ErrorIs(t, err, errLeaseEnded)
				var refused *collection.Refused
				require.False(t, errors.As(err, &refused), "nothing was decided")
				require.Empty(t, r.permits.reasons, "the source is not at fault, nor was it in order")
				require.Empty(t, r.delays)

				asked := len(r.host.asked)
				r.permits.context, still, r.host.during, r.host.seen = context.Background(), nil, nil, failure.Observation{Status: 200}
				_, err = r.Check(t.Context(), r.src, "https://books.example/a")
				require.ErrorAs(t, err, &refused)
				require.Equal(t, collection.ReasonRobotsDenied, refused.Reason)
				require.Len(t, r.host.asked, asked+1)
			})
		}
	}
}

// TestRobotsOfAHopTakeNoOtherRoom: in a process with room for one, the robots.txt of where a redirect leads is read under the
// permit of the request that was redirected, and the next record's only when there is room again.
func TestRobotsOfAHopTakeNoOtherRoom(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := leaseOf(t, 1, lease.SourceConfig{Source: "books", Ceiling: 4})
		r.renew()
		site := &host{robots: "User-agent: *\nDisallow: /a\n", seen: failure.Observation{Status: 200}}
		src := collection.Source{Name: "books"}
		rules, err := NewSiteRules([]collection.Source{src}, RobotsNeeds{
			Fetcher: site, Permits: r.Permits, Egresses: oneWay{}, Metrics: silentMetrics{}, Agent: "tester/1.0 (+https://a.example)", Now: time.Now,
			Learn: r.ReadRobots,
		})
		require.NoError(t, err)
		_, err = rules.Check(t.Context(), src, "https://books.example/b")
		require.NoError(t, err)
		permit := r.acquire("books")
		require.NoError(t, rules.CheckHop(t.Context(), src, "https://other.example/b", permit))
		permit.EndRequest()
		next := make(chan error, 1)
		go func() {
			_, err := rules.Check(t.Context(), src, "https://third.example/b")
			next <- err
		}()
		time.Sleep(time.Second)
		require.Empty(t, next, "what the request has brought is in hand")
		permit.Release()
		require.NoError(t, <-next)
		r.requireEmpty()
	})
}
