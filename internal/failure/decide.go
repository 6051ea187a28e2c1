package failure

import (
	"slices"
	"time"

	"github.com/weir-collect/weir/collection"
)

// MaxLost is how many workers a record may lose before it is held to be the cause.
const MaxLost = 3

// ConfirmAfter is the least wait before a resolver is asked the same again: it repeats its answer for a while without looking.
const ConfirmAfter = time.Minute

// Policy is a source's patience with its records.
type Policy struct {
	// Attempts is how many charged faults end a record; below one counts as one.
	Attempts int
	// Min and Max bound the wait between tries. Min of zero counts as a second; Max below twice Min counts as twice Min,
	// since a wait needs room for jitter.
	Min, Max time.Duration
	// GiveUpAfter bounds the whole time of a record's collecting; zero means no bound.
	GiveUpAfter time.Duration
	// Egresses is how many egresses the source has.
	Egresses int
	// Secrets says that the source's requests carry secrets, which may be replaced while a worker still uses the old ones.
	Secrets bool
}

// PolicyOf is the policy that a source's configuration states.
func PolicyOf(src collection.Source) Policy {
	return Policy{
		Attempts: src.Attempts, Min: src.Backoff.Min, Max: src.Backoff.Max, GiveUpAfter: src.GiveUpAfter,
		Egresses: len(src.Egress.Use), Secrets: sendsSecrets(src),
	}
}

func sendsSecrets(src collection.Source) bool {
	return src.Request.SendsSecrets() ||
		slices.ContainsFunc(src.Methods, func(m collection.Method) bool { return m.Request.SendsSecrets() })
}

// History is what a record has met so far, the latest try included.
type History struct {
	// Reason of the latest try. Empty asks, before a try, whether the record may have another one.
	Reason collection.Reason
	// Faults is how many tries were charged, this one included if its reason is charged.
	Faults int
	// SameReason is how many tries in a row ended with Reason, this one included; below one counts as one.
	SameReason int
	// Lost is how many attempts lost their worker.
	Lost int
	// Elapsed is the time since the record's collecting began.
	Elapsed time.Duration
	// Certain says that the latest try needs no second look, and OfSource that what it met is wrong with a name which the
	// source's configuration writes out: see Observation.
	Certain, OfSource bool
	// RetryAfter is what the target asked for; zero or less where it asked for nothing.
	RetryAfter time.Duration
}

// Decision is what to do with a record: exactly one of Retry and End is set, or neither when History has no reason and
// nothing is against another try.
type Decision struct {
	Retry bool
	// After is how long to wait before the next try.
	After time.Duration
	End   collection.Outcome
	// Reason is why the record ends, or why it waits.
	Reason collection.Reason
}

// Decide says what to do with a record. rnd is a random number in [0, 1).
//
// A fact about the target ends the record whatever else has happened; after that come the limits on lost workers, on
// faults and on time. A wait never reaches beyond the give-up time: a record whose next try would come too late ends now.
func Decide(p Policy, in History, rnd float64) Decision {
	row := p.row(in)
	switch {
	case in.Reason != "" && !row.Retry, in.Certain && row.Tries > 0:
		return end(row)
	case in.Lost >= MaxLost:
		return end(Lookup(collection.ReasonWorkerKiller))
	case row.Charged && in.Faults >= max(p.Attempts, 1):
		return end(row)
	case row.Tries > 0 && in.inARow() >= row.Tries:
		return end(row)
	case p.GiveUpAfter > 0 && in.Elapsed >= p.GiveUpAfter:
		return end(Lookup(collection.ReasonExpired))
	case in.Reason == "":
		return Decision{}
	}
	return p.wait(row, in, rnd)
}

// egressRounds is how often a record may go round all its egresses while each of them demands other credentials.
const egressRounds = 2

// anotherEgress says whether another egress may do where one does not accept our credentials: asking the same one again
// is no use, and a record must not end for one bad proxy of several.
func (p Policy) anotherEgress(in History) bool {
	return p.Egresses > 1 && in.inARow() < egressRounds*p.Egresses
}

// secretTries is how often in a row a record is turned away for its credentials before that is believed, where the source's
// secrets may have been replaced: a worker goes on using what it has read of them for less than ConfirmAfter.
const secretTries = 2

// row is what follows from the latest reason for this record. Three reasons mean something else than the table says: credentials
// that one proxy refuses another may accept; a source's own may have been replaced, and those that a worker still used are as good
// as a store of secrets that does not answer; and a name of the source's own that leads nowhere is an outage of the source, for
// which its records wait, and are not ended one by one while its breaker finds that out.
func (p Policy) row(in History) Row {
	row := Lookup(in.Reason)
	switch {
	case in.Reason == collection.ReasonEgressAuth && p.anotherEgress(in):
		row = Lookup(collection.ReasonEgressRefused)
	case in.Reason == collection.ReasonAuthRequired && p.Secrets && in.inARow() < secretTries:
		row = Lookup(collection.ReasonStoreUnavailable)
		row.Wait = WaitConfirm
	case in.OfSource:
		row.Charged, row.Tries = false, 0
	}
	return row
}

// Charged says whether a try counts against the attempts of its source's records.
func Charged(reason collection.Reason, ofSource bool) bool {
	return Lookup(reason).Charged && !ofSource
}

// Heard is the reason that the owner of a source's permits is told of a try. It is the try's own but for one: where a name of the
// source's own leads into a private network, the source is in trouble, as with a name that leads nowhere, and the owner must
// count that as a fault of the source, and not as a record that a rule refused.
func Heard(reason collection.Reason, ofSource bool) collection.Reason {
	if reason == collection.ReasonPrivateAddress && ofSource {
		return collection.ReasonDNSNotFound
	}
	return reason
}

func end(row Row) Decision { return Decision{End: row.End, Reason: row.Reason} }

// inARow is how many tries in a row ended with the latest reason: the latest at least.
func (in History) inARow() int { return max(in.SameReason, 1) }

// wait decides about a record that deserves another try.
func (p Policy) wait(row Row, in History, rnd float64) Decision {
	n := in.inARow()
	if row.Charged {
		n = max(in.Faults, 1)
	}
	after := p.Backoff(n, rnd)
	if row.Wait == WaitSoon && n == 1 {
		after = p.soon(rnd)
	}
	if row.Wait == WaitConfirm {
		after = max(after, ConfirmAfter+p.soon(rnd))
	}
	if row.Wait == WaitRetryAfter && in.RetryAfter > 0 {
		if p.GiveUpAfter > 0 && in.RetryAfter >= p.GiveUpAfter-in.Elapsed {
			return end(Lookup(collection.ReasonThrottledTooLong))
		}
		// RetryAfter stands alone too, since its sum with the spread may overflow.
		after = max(after, in.RetryAfter, in.RetryAfter+p.spread(in.RetryAfter, rnd))
		if p.GiveUpAfter > 0 {
			// The spread may be shortened to end before the give-up time, the source's shortest wait may not.
			after = max(p.least(), min(after, p.GiveUpAfter-in.Elapsed-1))
		}
	}
	if p.GiveUpAfter > 0 && after >= p.GiveUpAfter-in.Elapsed {
		return end(Lookup(collection.ReasonExpired))
	}
	return Decision{Retry: true, After: after, Reason: row.Reason}
}
