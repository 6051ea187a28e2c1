package failure

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	c "github.com/weir-collect/weir/collection"
)

// standard is the policy of a source that states nothing of its own.
var standard = Policy{Attempts: 5, Min: time.Second, Max: 5 * time.Minute, GiveUpAfter: 24 * time.Hour}

func TestDecideEnds(t *testing.T) {
	for _, tt := range []struct {
		name    string
		in      History
		outcome c.Outcome
		reason  c.Reason
	}{
		{"a fact ends at once", History{Reason: c.ReasonGone}, c.OutcomeGone, c.ReasonGone},
		{"a fact counts though workers were lost", History{Reason: c.ReasonGone, Lost: 7, Elapsed: 48 * time.Hour}, c.OutcomeGone, c.ReasonGone},
		{"policy refuses", History{Reason: c.ReasonRobotsDenied}, c.OutcomeRefused, c.ReasonRobotsDenied},
		{"a private address is what it is", History{Reason: c.ReasonPrivateAddress, SameReason: 1, Certain: true}, c.OutcomeRefused, c.ReasonPrivateAddress},
		{"a private name, confirmed", History{Reason: c.ReasonPrivateAddress, SameReason: 2}, c.OutcomeRefused, c.ReasonPrivateAddress},
		{"a source's own name, for as long as there is", History{Reason: c.ReasonDNSNotFound, SameReason: 99, OfSource: true, Elapsed: 24 * time.Hour}, c.OutcomeDeadLettered, c.ReasonExpired},
		{"empty parse is never retried (E03)", History{Reason: c.ReasonParseEmpty, Faults: 1}, c.OutcomeDeadLettered, c.ReasonParseEmpty},
		{"bad input", History{Reason: c.ReasonRowMalformed}, c.OutcomeInvalid, c.ReasonRowMalformed},
		{"attempts used up (E08)", History{Reason: c.ReasonServerError, Faults: 5}, c.OutcomeDeadLettered, c.ReasonServerError},
		{"the last fault names the end", History{Reason: c.ReasonTruncated, Faults: 6}, c.OutcomeDeadLettered, c.ReasonTruncated},
		{"C7 83: three workers lost", History{Reason: c.ReasonLeaseLost, Lost: 3}, c.OutcomeDeadLettered, c.ReasonWorkerKiller},
		{"three workers lost, asked before a try", History{Lost: 3}, c.OutcomeDeadLettered, c.ReasonWorkerKiller},
		{"out of time", History{Reason: c.ReasonConnectFailed, Faults: 1, Elapsed: 24 * time.Hour}, c.OutcomeDeadLettered, c.ReasonExpired},
		{"out of time, asked before a try", History{Elapsed: 25 * time.Hour}, c.OutcomeDeadLettered, c.ReasonExpired},
		{"no time left to wait", History{Reason: c.ReasonServerError, Faults: 1, Elapsed: 24*time.Hour - 10*time.Millisecond}, c.OutcomeDeadLettered, c.ReasonExpired},
		{"told to wait a moment, with less time left than the floor", History{Reason: c.ReasonThrottled, RetryAfter: 1, Elapsed: 24*time.Hour - 10*time.Millisecond}, c.OutcomeDeadLettered, c.ReasonExpired},
		{"told to wait beyond the end", History{Reason: c.ReasonThrottled, RetryAfter: 25 * time.Hour}, c.OutcomeDeadLettered, c.ReasonThrottledTooLong},
		{"told to wait until the very end", History{Reason: c.ReasonThrottled, RetryAfter: 14 * time.Hour, Elapsed: 10 * time.Hour}, c.OutcomeDeadLettered, c.ReasonThrottledTooLong},
		{"a reason nobody knows", History{Reason: "of_a_later_version"}, c.OutcomeDeadLettered, c.ReasonInternal},
	} {
		t.Run(tt.name, func(t *testing.T) {
			require.Equal(t, Decision{End: tt.outcome, Reason: tt.reason}, Decide(standard, tt.in, 0.5))
		})
	}
}

func TestDecideBeforeATry(t *testing.T) {
	require.Zero(t, Decide(standard, History{Faults: 4, Lost: 2, Elapsed: 23 * time.Hour}, 0.5))
	require.Zero(t, Decide(Policy{}, History{Elapsed: 1000 * time.Hour}, 0.5), "no give-up time, no expiry")
}

func TestDecideWaitsAsLongAsThereIs(t *testing.T) {
	d := Decide(Policy{}, History{Reason: c.ReasonThrottled, RetryAfter: math.MaxInt64}, 0.99)
	require.Equal(t, Decision{Retry: true, After: math.MaxInt64, Reason: c.ReasonThrottled}, d)
}

func TestDecideRetries(t *testing.T) {
	for _, tt := range []struct {
		name     string
		in       History
		low, top time.Duration
	}{
		{"first fault", History{Reason: c.ReasonServerError, Faults: 1}, time.Second, 2 * time.Second},
		{"E01: a reset is retried soon", History{Reason: c.ReasonReset, Faults: 1}, time.Second, 1500 * time.Millisecond},
		{"a second reset waits longer", History{Reason: c.ReasonReset, Faults: 2}, 5 * time.Second, 11 * time.Second},
		{"the last wait is the longest", History{Reason: c.ReasonServerError, Faults: 4}, 150 * time.Second, 300 * time.Second},
		{"egress: switch and retry (E05)", History{Reason: c.ReasonEgressUnavailable, Faults: 3, SameReason: 1}, time.Second, 1500 * time.Millisecond},
		{"not charged: goes on for ever", History{Reason: c.ReasonConnectFailed, Faults: 4, SameReason: 200}, 150 * time.Second, 300 * time.Second},
		{"nobody has counted: the first", History{Reason: c.ReasonConnectFailed}, time.Second, 2 * time.Second},
		{"a name that is not there is asked for again when its absence is forgotten", History{Reason: c.ReasonDNSNotFound, Faults: 1, SameReason: 1}, 61 * time.Second, 62 * time.Second},
		{"so is one that leads into a private network", History{Reason: c.ReasonPrivateAddress, SameReason: 1}, 61 * time.Second, 62 * time.Second},
		{"a source's own name is its outage", History{Reason: c.ReasonDNSNotFound, SameReason: 50, OfSource: true}, 150 * time.Second, 300 * time.Second},
		{"wherever it leads", History{Reason: c.ReasonPrivateAddress, SameReason: 50, OfSource: true}, 150 * time.Second, 300 * time.Second},
		{"what is certain of one reason is not of another", History{Reason: c.ReasonReset, Faults: 1, Certain: true}, time.Second, 1500 * time.Millisecond},
		{"two workers lost", History{Reason: c.ReasonLeaseLost, Lost: 2, SameReason: 1}, time.Second, 1500 * time.Millisecond},
		{"C3 33: Retry-After 7", History{Reason: c.ReasonThrottled, SameReason: 1, RetryAfter: 7 * time.Second}, 7 * time.Second, 9 * time.Second},
		{"Retry-After below our own wait", History{Reason: c.ReasonThrottled, SameReason: 3, RetryAfter: time.Second}, 28 * time.Second, 57 * time.Second},
		{"C3 35: a negative hint is none", History{Reason: c.ReasonThrottled, SameReason: 1, RetryAfter: -5 * time.Second}, time.Second, 2 * time.Second},
		{"C3 36: zero is never below our own", History{Reason: c.ReasonThrottled, SameReason: 1}, time.Second, 2 * time.Second},
		{"a server error may carry a hint", History{Reason: c.ReasonServerError, Faults: 1, RetryAfter: time.Minute}, time.Minute, 68 * time.Second},
		{"only some reasons carry a hint", History{Reason: c.ReasonReset, Faults: 1, RetryAfter: time.Minute}, time.Second, 1500 * time.Millisecond},
		{"the hint just fits", History{Reason: c.ReasonThrottled, RetryAfter: 23*time.Hour + 59*time.Minute}, 23*time.Hour + 59*time.Minute, 24*time.Hour - 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, rnd := range []float64{0, 0.25, 0.999999} {
				d := Decide(standard, tt.in, rnd)
				require.True(t, d.Retry, "%+v", d)
				require.Empty(t, d.End)
				require.Equal(t, tt.in.Reason, d.Reason)
				require.GreaterOrEqual(t, d.After, tt.low)
				require.LessOrEqual(t, d.After, tt.top)
			}
		})
	}
}

// C3 38: a name that does not exist is looked up once more, when resolvers have forgotten what they said, and then it is
// permanent.
func TestCase38NameNotFoundIsConfirmedOnce(t *testing.T) {
	d := Decide(standard, History{Reason: c.ReasonDNSNotFound, Faults: 1, SameReason: 1}, 0.5)
	require.True(t, d.Retry)
	require.GreaterOrEqual(t, d.After, ConfirmAfter)
	require.LessOrEqual(t, d.After, ConfirmAfter+2*time.Second)
	confirmed := Decision{End: c.OutcomeDeadLettered, Reason: c.ReasonDNSNotFound}
	require.Equal(t, confirmed, Decide(standard, History{Reason: c.ReasonDNSNotFound, Faults: 2, SameReason: 2}, 0.5))
	patient := standard
	patient.Attempts = 50
	require.Equal(t, confirmed, Decide(patient, History{Reason: c.ReasonDNSNotFound, Faults: 2, SameReason: 2}, 0.5))
	d = Decide(standard, History{Reason: c.ReasonDNSNotFound, Faults: 2, SameReason: 1}, 0.5)
	require.True(t, d.Retry, "the other fault was of another kind: the lookup is still to be confirmed")
	require.True(t, Decide(standard, History{Reason: c.ReasonDNSTimeout, Faults: 4, SameReason: 9}, 0.5).Retry, "a resolver's timeout is transient")
}

func anyPolicy() *rapid.Generator[Policy] {
	return rapid.Custom(func(t *rapid.T) Policy {
		return Policy{
			Attempts:    rapid.IntRange(-1, 30).Draw(t, "attempts"),
			Min:         time.Duration(rapid.Int64Range(-1, int64(time.Hour)).Draw(t, "min")),
			Max:         time.Duration(rapid.Int64Range(-1, int64(100*time.Hour)).Draw(t, "max")),
			GiveUpAfter: time.Duration(rapid.Int64Range(0, int64(1000*time.Hour)).Draw(t, "give up")),
		}
	})
}

func anyHistory() *rapid.Generator[History] {
	reasons := []c.Reason{"", "new"}
	for _, row := range Table() {
		reasons = append(reasons, row.Reason)
	}
	return rapid.Custom(func(t *rapid.T) History {
		return History{
			Reason:     rapid.SampledFrom(reasons).Draw(t, "reason"),
			Faults:     rapid.IntRange(-1, 40).Draw(t, "faults"),
			SameReason: rapid.IntRange(-1, 4000).Draw(t, "same"),
			Lost:       rapid.IntRange(0, 4).Draw(t, "lost"),
			Elapsed:    time.Duration(rapid.Int64Range(-int64(time.Minute), int64(1000*time.Hour)).Draw(t, "elapsed")),
			RetryAfter: time.Duration(rapid.Int64().Draw(t, "retry after")),
		}
	})
}

func TestDecideLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, in := anyPolicy().Draw(t, "policy"), anyHistory().Draw(t, "history")
		d := Decide(p, in, rapid.Float64Range(0, 1).Draw(t, "rnd"))
		switch {
		case d.Retry:
			require.Empty(t, d.End)
			require.True(t, Lookup(in.Reason).Retry, "only what can help is tried again")
			require.GreaterOrEqual(t, d.After, p.least(), "never below the floor")
			require.Less(t, in.Lost, MaxLost)
			if Lookup(in.Reason).Charged {
				require.Less(t, in.Faults, max(p.Attempts, 1))
			}
			if p.GiveUpAfter > 0 {
				require.Less(t, in.Elapsed+d.After, p.GiveUpAfter, "a try never falls beyond the give-up time")
			}
			if Lookup(in.Reason).Wait == WaitRetryAfter {
				require.GreaterOrEqual(t, d.After, in.RetryAfter)
			}
		case d.End != "":
			require.Zero(t, d.After)
			require.Contains(t, c.Outcomes(), d.End)
			require.Equal(t, Lookup(d.Reason).End, d.End)
		default:
			require.Empty(t, in.Reason, "a fault always leads to a decision")
			require.Zero(t, d)
		}
	})
}

func TestPolicyOf(t *testing.T) {
	src := c.Source{Attempts: 5, Backoff: c.Backoff{Min: time.Second, Max: 5 * time.Minute}, GiveUpAfter: 24 * time.Hour}
	require.Equal(t, standard, PolicyOf(src))
}

// TestOfSource: what is wrong with a source's own name is charged to no record, and its breaker hears of it as of a fault.
func TestOfSource(t *testing.T) {
	require.True(t, Charged(c.ReasonDNSNotFound, false))
	require.False(t, Charged(c.ReasonDNSNotFound, true))
	require.False(t, Charged(c.ReasonPrivateAddress, false))
	for _, row := range Table() {
		require.Equal(t, row.Reason, Heard(row.Reason, false))
	}
	heard := Lookup(Heard(c.ReasonPrivateAddress, true))
	require.Equal(t, FaultTarget, heard.Fault)
	require.True(t, heard.Retry)
}

// TestSecretsAreReadAgain: a source whose secrets may have been replaced is asked once more, when every worker has read them again;
// one that has none is believed at once.
func TestSecretsAreReadAgain(t *testing.T) {
	end := Decision{End: c.OutcomeDeadLettered, Reason: c.ReasonAuthRequired}
	require.Equal(t, end, Decide(standard, History{Reason: c.ReasonAuthRequired, SameReason: 1}, 0.5))
	secret := standard
	secret.Secrets = true
	for _, rnd := range []float64{0, 0.5, 0.999} {
		d := Decide(secret, History{Reason: c.ReasonAuthRequired, SameReason: 1, Faults: 4}, rnd)
		require.True(t, d.Retry)
		require.Greater(t, d.After, ConfirmAfter)
		require.Less(t, d.After, ConfirmAfter+3*time.Second)
		require.NotContains(t, NonRetryable(), d.Reason, "workflows that run already let it be tried again")
	}
	require.Equal(t, end, Decide(secret, History{Reason: c.ReasonAuthRequired, SameReason: 2}, 0.5))
	require.Equal(t, c.ReasonBlocked, Decide(secret, History{Reason: c.ReasonBlocked, SameReason: 1}, 0.5).Reason)
	late := Decide(secret, History{Reason: c.ReasonAuthRequired, SameReason: 1, Elapsed: secret.GiveUpAfter - time.Minute}, 0.5)
	require.Equal(t, c.ReasonExpired, late.Reason)

	header := c.Request{SecretHeaders: map[string]string{"X-Key": "env:KEY"}}
	query := c.Request{SecretQuery: c.QuerySecrets{"key": "env:KEY"}}
	for _, src := range []c.Source{{Request: header}, {Request: query}, {Methods: []c.Method{{Name: "page"}, {Name: "api", Request: query}}}} {
		require.True(t, PolicyOf(src).Secrets)
	}
	require.False(t, PolicyOf(c.Source{Methods: []c.Method{{Name: "page"}}}).Secrets)
}
