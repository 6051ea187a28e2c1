package activities

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"github.com/weir-collect/weir/collection"
)

// shipping is a settled submission and a destination for it.
type shipping struct {
	*Shipper
	from *settling
	to   *shaky
	// opens is what opening the destination meets; nil means that it is open.
	opens error
	// running says that the engine runs the submission, and asking is what asking the engine meets.
	running bool
	asking  error
}

// Describe tells of the one submission.
func (s *shipping) Describe(context.Context, string, string) (Described, error) {
	return Described{Execution: Execution{Running: s.running}}, s.asking
}

var shippedAt = settledAt.Add(time.Minute)

var inbox = collection.Destination{Endpoint: "https://s3.customer.example/", Region: "r", Bucket: "inbox", Prefix: "in/", AccessKey: "env:A", SecretKey: "env:B"}

func newShipping(t require.TestingT, from *settling, objects bool) *shipping {
	from.mustSettle(t, &trial{})
	from.store.calls = nil
	s := &shipping{from: from, to: newShaky()}
	d := inbox
	d.Objects = objects
	s.Shipper = &Shipper{Store: from.store, Destinations: s, Engine: s, Clock: at(shippedAt), Directory: directory{customers: []collection.Customer{
		{Name: "acme", Destination: d}, {Name: "other", TakesFor: []string{"acme"}, Destination: collection.Destination{Bucket: "elsewhere"}},
		{Name: "strange", Destination: collection.Destination{Bucket: "strange"}}, {Name: "plain"},
	}}}
	return s
}

// OpenDestination opens the one destination there is.
func (s *shipping) OpenDestination(context.Context, collection.Destination) (Store, error) {
	if s.opens != nil {
		return nil, s.opens
	}
	return s.to, nil
}

var shipInput = collection.ShipInput{Submission: "s1", Customer: "acme", To: "acme"}

func (s *shipping) ship(t require.TestingT, tr *trial, in collection.ShipInput) (collection.ShipResult, error) {
	return run(t, tr, s.Ship, in)
}

func (s *shipping) mustShip(t require.TestingT, tr *trial) collection.ShipResult {
	out, err := s.ship(t, tr, shipInput)
	require.NoError(t, err)
	return out
}

// expected is what the destination must hold.
func (s *shipping) expected(t require.TestingT, objects bool) map[string]string {
	want := map[string]string{}
	for key, body := range s.from.store.dump(t) {
		name, ours := strings.CutPrefix(key, "results/acme/s1/")
		if ours && (objects || !strings.HasPrefix(name, "records/")) {
			want["in/s1/"+name] = body
		}
	}
	return want
}

func TestShip(t *testing.T) {
	for name, c := range map[string]struct {
		from    func() *settling
		objects bool
		files   int
		records int
	}{
		"files":           {func() *settling { return mixedSettling(t) }, false, 5, 0},
		"and objects":     {func() *settling { return mixedSettling(t) }, true, 5, 4},
		"tables":          {func() *settling { return newTables(t, csvLayout) }, false, 5, 0},
		"tables, objects": {func() *settling { return newTables(t, csvLayout) }, true, 5, 5},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShipping(t, c.from(), c.objects)
			out := s.mustShip(t, &trial{})
			want := s.expected(t, c.objects)
			require.Equal(t, want, s.to.dump(t), "the same bytes under the same names")
			manifest := want["in/s1/manifest.json"]
			size := 0
			for _, body := range want {
				size += len(body)
			}
			require.Equal(t, collection.ShipResult{
				Destination: "https://s3.customer.example/inbox/in/s1/", Files: c.files, Objects: c.records, Bytes: int64(size),
				ManifestSHA256: collection.Digest([]byte(manifest)), VerifiedAt: shippedAt,
			}, out)
			var noted collection.ShipResult
			require.NoError(t, json.Unmarshal([]byte(s.from.store.text(t, collection.ShipmentKey("s1"))), &noted))
			require.Equal(t, out, noted)

			calls := s.to.calls
			require.Equal(t, []string{
				"Create in/s1/manifest.json", "Head in/s1/manifest.json", "Create in/s1/manifest.sha256", "Head in/s1/manifest.sha256",
			}, calls[len(calls)-4:], "the manifest and its checksum are written last")

			s.to.calls = nil
			require.Equal(t, out, s.mustShip(t, &trial{}))
			require.Equal(t, want, s.to.dump(t))
			require.False(t, slices.ContainsFunc(s.to.calls, func(c string) bool { return strings.HasPrefix(c, "Replace") }), "nothing changes")
		})
	}
}

// TestShipCrashes: whichever call fails, at either end, the next attempt brings the same delivery.
func TestShipCrashes(t *testing.T) {
	clean := newShipping(t, mixedSettling(t), true)
	clean.mustShip(t, &trial{})
	want := clean.to.sums(t)
	for end, calls := range map[string]int{"from": clean.from.store.count(), "to": clean.to.count()} {
		for n := 1; n <= calls; n++ {
			for name, failing := range map[string]trouble{"refused": {refuse: errOutage}, "answer lost": {lose: errOutage}} {
				s := newShipping(t, mixedSettling(t), true)
				store := map[string]*shaky{"from": s.from.store, "to": s.to}[end]
				store.trouble = func(call int, _, _ string) trouble {
					if call == n {
						return failing
					}
					return trouble{}
				}
				tr := &trial{number: 1}
				_, err := s.ship(t, tr, shipInput)
				requireTransient(t, err, collection.ReasonStoreUnavailable, errOutage.Error())
				s.mustShip(t, tr.next(t))
				require.Equal(t, want, s.to.sums(t), "%s, call %d, %s", end, n, name)
			}
		}
	}
}

// TestShipRefused: a refusal is asked again some times, a minute apart, and then fails for good; however many objects met
// it, an attempt counts once.
func TestShipRefused(t *testing.T) {
	denied := fmt.Errorf("create: %w", collection.ErrStoreDenied)
	for name, refuse := range map[string]func(*shipping) string{
		"cannot be opened": func(s *shipping) string {
			s.opens = fmt.Errorf("there is no bucket inbox: create it (%w)", collection.ErrDestinationRefused)
			return "there is no bucket inbox"
		},
		"may not be written": func(s *shipping) string {
			s.to.trouble = func(_ int, op, key string) trouble {
				if op == "Create" && strings.Contains(key, "/records/") {
					return trouble{refuse: denied}
				}
				return trouble{}
			}
			return collection.ErrStoreDenied.Error()
		},
		"is not configured": func(s *shipping) string {
			s.Directory = directory{}
			return `customer "acme" has no destination`
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShipping(t, mixedSettling(t), true)
			says := refuse(s)
			tr := &trial{number: 1}
			for range maxRefused - 1 {
				_, err := s.ship(t, tr, shipInput)
				require.Equal(t, deniedRetry, requireTransient(t, err, collection.ReasonStoreUnavailable, says).after)
				tr = tr.next(t)
			}
			_, err := s.ship(t, tr, shipInput)
			requireFinal(t, err, collection.ReasonDestinationRefused, says)
			require.NotContains(t, s.to.dump(t), "in/s1/manifest.json", "without its files there is no manifest")
			_, err = s.from.store.Store.Head(background, collection.ShipmentKey("s1"))
			require.ErrorIs(t, err, collection.ErrObjectMissing)

			s.opens, s.to.trouble = nil, nil
			s.Directory = directory{customers: []collection.Customer{{Name: "acme", Destination: inbox}}}
			s.mustShip(t, &trial{})
		})
	}
}

// TestShipWhatIsLost: what is not in weir's bucket as it was settled is not shipped; settling again makes it again.
func TestShipWhatIsLost(t *testing.T) {
	for key, from := range map[string]func() *settling{
		"results/acme/s1/results-00001.jsonl.gz": func() *settling { return mixedSettling(t) },
		"results/acme/s1/failures.jsonl":         func() *settling { return mixedSettling(t) },
		"results/acme/s1/manifest.json":          func() *settling { return mixedSettling(t) },
		"results/acme/s1/manifest.sha256":        func() *settling { return mixedSettling(t) },
		"staged/s1/00002.jsonl.gz":               func() *settling { return newTables(t, csvLayout) },
	} {
		for name, harm := range map[string]func(*shaky){
			"deleted": func(s *shaky) { s.remove(key) },
			"changed": func(s *shaky) { s.set(t, key, "x") },
		} {
			t.Run(key+" "+name, func(t *testing.T) {
				s := newShipping(t, from(), true)
				harm(s.from.store)
				_, err := s.ship(t, &trial{}, shipInput)
				requireFinal(t, err, collection.ReasonDeliveryLost)
				s.from.mustSettle(t, &trial{})
				s.mustShip(t, &trial{})
			})
		}
	}
}

// TestShipAnotherGeneration: what the destination has of before is replaced, and never unseen.
func TestShipAnotherGeneration(t *testing.T) {
	s := newShipping(t, mixedSettling(t), false)
	s.to.set(t, "in/s1/failures.jsonl", "older")
	s.mustShip(t, &trial{})
	require.Equal(t, s.expected(t, false), s.to.dump(t))
	info, err := s.to.Head(background, "in/s1/failures.jsonl")
	require.NoError(t, err)
	require.Equal(t, 2, info.Generation)

	n := 0
	s.to.trouble = func(_ int, op, key string) trouble {
		if op == "Create" && key == "in/s1/manifest.json" || op == "Replace" {
			n++
			s.to.set(t, key, fmt.Sprint("stranger ", n))
		}
		return trouble{}
	}
	tr := &trial{number: 1}
	_, err = s.ship(t, tr, shipInput)
	requireTransient(t, err, collection.ReasonStoreUnavailable, "at the destination")
}

// TestDeliveryKnowsItsFailures: the list of failures may be of a later generation than its manifest, where another settlement
// had taken the name before, and is none of the parts all the same.
func TestDeliveryKnowsItsFailures(t *testing.T) {
	key := collection.FailuresKey("acme", "s1")
	part := collection.ManifestFile{Key: collection.ResultsKey("acme", "s1", 1)}
	for _, failures := range []string{key, collection.GenerationKey(key, 2), collection.GenerationKey(key, 5)} {
		d := &delivery{
			plan:     collection.PlanResult{Submission: "s1", Customer: "acme"},
			manifest: collection.Manifest{Generation: 2, Files: []collection.ManifestFile{part, {Key: failures}}},
		}
		require.Equal(t, []collection.ManifestFile{part}, d.parts(), failures)
	}
}

// TestShipChecks: for a customer without a destination the delivery is compared with its manifest, and nothing is written.
func TestShipChecks(t *testing.T) {
	s := newShipping(t, mixedSettling(t), false)
	s.Directory = configured
	before := s.from.store.sums(t)
	out, err := s.ship(t, &trial{}, collection.ShipInput{Submission: "s1", Customer: "acme"})
	require.NoError(t, err)
	require.Equal(t, 3, out.Files)
	require.Empty(t, out.Destination)
	require.Equal(t, before, s.from.store.sums(t))
	require.Empty(t, s.to.calls)
}

func TestShipElsewhere(t *testing.T) {
	s := newShipping(t, mixedSettling(t), true)
	out, err := s.ship(t, &trial{}, collection.ShipInput{Submission: "s1", Customer: "acme", To: "other"})
	require.NoError(t, err)
	require.Equal(t, "s3://elsewhere/s1/", out.Destination)
	require.Zero(t, out.Objects)
	require.Contains(t, s.to.dump(t), "s1/manifest.sha256")

	// Nobody's delivery goes to another customer's bucket by a slip.
	s = newShipping(t, mixedSettling(t), true)
	_, err = s.ship(t, &trial{}, collection.ShipInput{Submission: "s1", Customer: "acme", To: "strange"})
	require.ErrorContains(t, err, "takes nothing of customer acme")
	require.Empty(t, s.to.calls)

	_, err = s.ship(t, &trial{}, collection.ShipInput{Submission: "s1", Customer: "other"})
	requireFinal(t, err, collection.ReasonSubmissionInvalid, "is of customer acme")
	_, err = s.ship(t, &trial{}, collection.ShipInput{Submission: "s2", Customer: "acme"})
	requireFinal(t, err, collection.ReasonInternal, "the plan of submission s2 is gone")
}

// TestProvingReadsWhatHasNoChecksum: a destination that keeps none is read, not believed.
func TestProvingReadsWhatHasNoChecksum(t *testing.T) {
	store := newShaky()
	store.set(t, "k", "what is there")
	p := proving{headOnly{store, collection.ObjectInfo{Key: "k", Size: 3}}}
	info, err := p.Head(background, "k")
	require.NoError(t, err)
	require.Equal(t, collection.Digest([]byte("what is there")), info.SHA256)
	require.Equal(t, int64(13), info.Size)

	store.trouble = func(int, string, string) trouble { return trouble{refuse: errOutage} }
	_, err = p.Head(background, "k")
	require.ErrorIs(t, err, errOutage)
	_, err = (proving{store}).Head(background, "k")
	require.True(t, errors.Is(err, errOutage))
}

// TestShipProofIsOfTheOwnDestination: a delivery that went to somebody else's has not reached the customer's.
func TestShipProofIsOfTheOwnDestination(t *testing.T) {
	for to, noted := range map[string]bool{"": true, "acme": true, "other": false} {
		s := newShipping(t, mixedSettling(t), false)
		_, err := s.ship(t, &trial{}, collection.ShipInput{Submission: "s1", Customer: "acme", To: to})
		require.NoError(t, err)
		_, err = s.from.store.Store.Head(background, collection.ShipmentKey("s1"))
		if noted {
			require.NoError(t, err, "%q", to)
			continue
		}
		require.ErrorIs(t, err, collection.ErrObjectMissing, "%q", to)
	}
}

// lossOf is what a failed shipment says of the manifest.
func lossOf(t *testing.T, err error) (loss collection.ShipLoss) {
	t.Helper()
	var app *temporal.ApplicationError
	require.ErrorAs(t, err, &app)
	var f collection.AttemptFailure
	require.NoError(t, app.Details(&f, &loss))
	return loss
}

// TestShipLoss: what is lost is settled again by the manifest that stands, says what to do, and is left alone in the midst of a
// submission.
func TestShipLoss(t *testing.T) {
	const part, manifest = "results/acme/s1/results-00001.jsonl.gz", "results/acme/s1/manifest.json"
	s := newShipping(t, mixedSettling(t), false)
	s.from.store.remove(part)
	_, err := s.ship(t, &trial{}, shipInput)
	requireFinal(t, err, collection.ReasonDeliveryLost, "run weir redeliver s1, which makes it again")
	require.Equal(t, collection.ShipLoss{Standing: true}, lossOf(t, err))

	s.from.store.set(t, part, "x")
	_, err = s.ship(t, &trial{}, shipInput)
	requireFinal(t, err, collection.ReasonDeliveryLost, "run weir redeliver s1, which makes it again")

	m := s.from.store.text(t, manifest)
	s.from.store.set(t, manifest, strings.Replace(m, `"partially_failed"`, `"cancelled"`, 1))
	_, err = s.ship(t, &trial{}, shipInput)
	require.Equal(t, collection.ShipLoss{Standing: true, Cancelled: true}, lossOf(t, err))

	s.from.store.remove(manifest)
	_, err = s.ship(t, &trial{}, shipInput)
	require.Equal(t, collection.ShipLoss{}, lossOf(t, err))

	s.asking = ErrUnknownToEngine
	_, err = s.ship(t, &trial{}, shipInput)
	requireFinal(t, err, collection.ReasonDeliveryLost, manifest)

	s.running, s.asking = true, nil
	_, err = s.ship(t, &trial{}, shipInput)
	requireFinal(t, err, collection.ReasonCommandRefused, "submission s1 has not ended", "wait for its end")

	s.asking = errOutage
	_, err = s.ship(t, &trial{}, shipInput)
	var app *temporal.ApplicationError
	require.ErrorAs(t, err, &app)
	require.False(t, app.NonRetryable(), "nobody knows")
}

// TestShipOfTheSubmissionItself does not wait for its own end.
func TestShipOfTheSubmissionItself(t *testing.T) {
	s := newShipping(t, mixedSettling(t), false)
	s.running = true
	s.from.store.remove("results/acme/s1/failures.jsonl")
	_, err := s.ship(t, &trial{workflow: "s1"}, shipInput)
	requireFinal(t, err, collection.ReasonDeliveryLost, "failures.jsonl")
}

// TestShipGoesOn: an attempt writes and reads nothing of what the one before has brought.
func TestShipGoesOn(t *testing.T) {
	s := newShipping(t, mixedSettling(t), true)
	want := func() collection.ShipResult {
		other := newShipping(t, mixedSettling(t), true)
		return other.mustShip(t, &trial{})
	}()
	broken := func() *trial {
		s.to.trouble = func(_ int, op, key string) trouble {
			if op == "Create" && key == "in/s1/manifest.json" {
				return trouble{refuse: errOutage}
			}
			return trouble{}
		}
		tr := &trial{number: 1}
		_, err := s.ship(t, tr, shipInput)
		requireTransient(t, err, collection.ReasonStoreUnavailable)
		s.to.trouble = nil
		s.to.calls, s.from.store.calls = nil, nil
		return tr.next(t)
	}
	tr := broken()
	require.Equal(t, want, s.mustShip(t, tr))
	for _, call := range s.to.calls {
		op, key, _ := strings.Cut(call, " ")
		require.True(t, op == "Head" || strings.Contains(key, "/manifest."), call)
		require.NotContains(t, key, "/records/")
	}
	for _, call := range s.from.store.calls {
		require.NotContains(t, call, "results-0", "it was read before")
	}

	for name, change := range map[string]func(*collection.ShipProgress){
		"a file is gone":  func(*collection.ShipProgress) { s.to.remove("in/s1/failures.jsonl") },
		"another one":     func(*collection.ShipProgress) { s.to.set(t, "in/s1/failures.jsonl", "x") },
		"another place":   func(p *collection.ShipProgress) { p.Destination = "s3://elsewhere/s1/" },
		"another content": func(p *collection.ShipProgress) { p.ManifestSHA256 = "older" },
		"too many files":  func(p *collection.ShipProgress) { p.Files = 99 },
	} {
		t.Run(name, func(t *testing.T) {
			s = newShipping(t, mixedSettling(t), true)
			tr := broken()
			before := tr.before.(collection.AttemptProgress)
			change(before.Ship)
			require.Equal(t, want, s.mustShip(t, tr))
			require.True(t, slices.ContainsFunc(s.to.calls, func(c string) bool { return strings.HasPrefix(c, "Create in/s1/records/") }), "all anew")
			require.Equal(t, s.expected(t, true), s.to.dump(t))
		})
	}
}

// TestShipChecksOn: where nothing is shipped, what was compared before is not read again.
func TestShipChecksOn(t *testing.T) {
	s := newShipping(t, mixedSettling(t), false)
	s.Directory = configured
	in := collection.ShipInput{Submission: "s1", Customer: "acme"}
	s.from.store.trouble = func(_ int, op, key string) trouble {
		if op == "Get" && strings.HasSuffix(key, "/failures.jsonl") {
			return trouble{refuse: errOutage}
		}
		return trouble{}
	}
	tr := &trial{number: 1}
	_, err := s.ship(t, tr, in)
	requireTransient(t, err, collection.ReasonStoreUnavailable)
	s.from.store.trouble, s.from.store.calls = nil, nil
	out, err := s.ship(t, tr.next(t), in)
	require.NoError(t, err)
	require.Equal(t, 3, out.Files)
	require.NotContains(t, s.from.store.calls, "Get results/acme/s1/results-00001.jsonl.gz")
	require.Contains(t, s.from.store.calls, "Head results/acme/s1/results-00001.jsonl.gz")
}
