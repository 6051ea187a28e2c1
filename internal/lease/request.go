package lease

import "time"

// Request is one worker's renewal of everything it holds.
type Request struct {
	// Worker names one process, from its start to its end; a restarted process has another name.
	Worker string `json:"worker"`
	// Sequence numbers the worker's requests from 1; a request that is sent again has a new number.
	Sequence int64 `json:"sequence"`
	// Epoch is that of the answer that the worker acts on, "none" without one. Workers that do not know of epochs send none.
	Epoch string `json:"epoch,omitempty"`
	// TTL is how long the lease lasts that the worker acts on. Without one it is absent, as it is from workers that do not tell.
	TTL Millis `json:"ttl_ms,omitempty"`
	// Answered is the number of the request whose answer the worker acts on. Without one it is absent, as it is from workers
	// that do not tell.
	Answered int64 `json:"answered,omitempty"`
	// Sources are all sources that the worker serves. One that is left out counts as fully given back.
	Sources []Want `json:"sources"`
	// Egress is what the worker has seen of its egresses since its previous request.
	Egress []EgressReport `json:"egress,omitempty"`
}

// Want is what a worker does at one source, and what it could do.
type Want struct {
	Source string `json:"source"`
	// Held is how many permits the worker acts on now, and will act on at most until this request is answered.
	Held int `json:"held,omitempty"`
	// Rate is the share of the pace that the worker acts on now; Unlimited where it was told that there is no pace.
	Rate Rate `json:"rate,omitempty"`
	// InFlight is how many requests are under way now; more than Held while the worker drains.
	InFlight int `json:"in_flight,omitempty"`
	// Peak is the largest number of requests in flight at one time since the previous request.
	Peak int `json:"peak,omitempty"`
	// Waiting is the largest number of collects that waited at one time for a permit or for the pace since then.
	Waiting int `json:"waiting,omitempty"`
	// OldestWaiting is how long the collect has waited, at the time of sending, that waits longest of those that wait now.
	OldestWaiting Millis `json:"oldest_waiting_ms,omitempty"`
	// Full says that the process could not run more collects now, whatever it were given.
	Full bool `json:"full,omitempty"`
	// Linger is how long a request that the worker makes may go on at the source when it is lost, by its own configuration,
	// which need not be the one in force. Absent from workers that do not tell.
	Linger Millis `json:"linger_ms,omitempty"`
	// CrawlDelay is the least interval that the source's robots.txt asks for: absent before it has been read, 0 if none.
	CrawlDelay *Millis `json:"crawl_delay_ms,omitempty"`
	Seen       Report  `json:"seen,omitzero"`
}

// longestLinger bounds what a worker tells of its requests: a mistaken one must not keep permits for a year. No configuration
// can have a longer timeout.
const longestLinger = Millis(time.Hour / time.Millisecond)

func (w Want) linger() Millis { return min(max(0, w.Linger), longestLinger) }

// Report is what a worker has seen of a source since it sent its previous request, answered or not. Counting once and
// losing a report with a lost request is better than counting twice: a breaker must not open on a repetition.
type Report struct {
	// Requests are all requests that ended, also those that never reached the source.
	Requests int `json:"requests,omitempty"`
	// Successes are those that the source answered without fault; 404 is an answer.
	Successes int `json:"successes,omitempty"`
	// TargetFaults are those that failed by the source's fault, throttles left out.
	TargetFaults int `json:"target_faults,omitempty"`
	// Throttled are those that the source refused for their rate.
	Throttled int `json:"throttled,omitempty"`
	// LongestRetryAfter is what is left, at the time of sending, of the longest wait that the source has asked for.
	LongestRetryAfter Millis `json:"longest_retry_after_ms,omitempty"`
	// Heard is the latest release of the breaker, a Grant's ReleasedAt, that the worker had heard of when it was asked for that
	// wait; the zero time for none. Absent without a wait, and from workers that do not know of releases.
	Heard *time.Time `json:"heard_release,omitempty"`
}

// plausible is the report without negative numbers.
func (r Report) plausible() Report {
	return Report{
		Requests: max(0, r.Requests), Successes: max(0, r.Successes), TargetFaults: max(0, r.TargetFaults),
		Throttled: max(0, r.Throttled), LongestRetryAfter: max(0, r.LongestRetryAfter), Heard: r.Heard,
	}
}

// EgressReport is what a worker has seen of one egress since it sent its previous request.
type EgressReport struct {
	Egress string `json:"egress"`
	// Successes are requests that came through, whatever the target answered: its refusal is no fault of the egress.
	Successes int `json:"successes,omitempty"`
	// Faults are requests that failed by the fault of the egress.
	Faults int `json:"faults,omitempty"`
	// Trailing are the faults since the last success; all of them if there was none.
	Trailing int `json:"trailing,omitempty"`
}

// Answer is what the owner grants. Its durations count from when the worker sent the request.
type Answer struct {
	Sequence int64 `json:"sequence"`
	// Epoch names the owner's run.
	Epoch string `json:"epoch,omitempty"`
	// Stale says that the request came too late or was a repetition: the answer grants nothing and takes nothing away.
	Stale bool `json:"stale,omitempty"`
	// Released says that the worker has given everything back for good: it must stop.
	Released bool `json:"released,omitempty"`
	// TTL is how long the grants last: by then, every request in flight has ended or has been cancelled.
	TTL Millis `json:"ttl_ms,omitempty"`
	// RenewIn is when the owner would like to hear from the worker again.
	RenewIn Millis        `json:"renew_in_ms,omitempty"`
	Grants  []Grant       `json:"grants,omitempty"`
	Egress  []EgressState `json:"egress,omitempty"`
}

// Grant is what a worker may do at one source.
type Grant struct {
	Source string `json:"source"`
	// Permits is how many requests the worker may have in flight. With more under way, it starts none until they end.
	Permits int `json:"permits"`
	// Pace is the worker's share of the source's pace.
	Pace Pace `json:"pace"`
	// Method is the fetch method to use; empty if the source has only one.
	Method string `json:"method,omitempty"`
	// Open says whether the source takes requests at all; Why tells what closes it, OpensAt when that ends, if known.
	Open    bool      `json:"open"`
	Why     Why       `json:"why,omitempty"`
	OpensAt time.Time `json:"opens_at,omitzero"`
	// ReleasedAt is when an operator last released the breaker: a wait that the source asked for before the worker heard of
	// that is over.
	ReleasedAt time.Time `json:"released_at,omitzero"`
	// ClosesIn is when the source's hours end: no request starts after it. Zero means not within this lease.
	ClosesIn Millis `json:"closes_in_ms,omitempty"`
	// Spare is how many permits nobody holds: with work waiting, and room for it, an early renewal is worth its cost.
	Spare int `json:"spare,omitempty"`
	// Ceiling is the source's ceiling, configured or set by an operator, whatever else restricts it. Absent from owners that
	// do not tell.
	Ceiling *int `json:"ceiling,omitempty"`
}

// Pace is a share of a source's pace: a token bucket.
type Pace struct {
	// Rate fills the bucket; Unlimited means that there is no pace, zero that no request may start.
	Rate Rate `json:"rate"`
	// Burst is what the bucket holds at most.
	Burst int `json:"burst,omitempty"`
	// Fill is what is in the bucket at the start, in thousandths of a request, for a worker that had no share before.
	Fill int `json:"fill,omitempty"`
}

// EgressState says that an egress is not to be used as usual. An egress that an answer does not name is good.
type EgressState struct {
	Egress string `json:"egress"`
	// Trial allows this worker one request through the egress, however many answers repeat it; otherwise it is retired.
	Trial bool `json:"trial,omitempty"`
}

// Why is a stable code for what keeps a source closed.
type Why string

// What keeps a source closed.
const (
	WhyUnknown     Why = "unknown"      // the owner does not know the source: its configuration has not reached it
	WhyRemoved     Why = "removed"      // the configuration no longer has the source
	WhyPaused      Why = "paused"       // an operator has paused it
	WhyCeiling     Why = "ceiling_zero" // its ceiling is zero
	WhyBreakerHeld Why = "breaker_held" // an operator holds the breaker open
	WhyBreakerOpen Why = "breaker_open" // it fails too often
	WhyThrottled   Why = "throttled"    // it has asked for a wait
	WhyHours       Why = "hours"        // it is outside its hours
)
