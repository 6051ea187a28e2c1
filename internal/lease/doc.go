// Package lease keeps the promise that a source's ceiling is a ceiling of the whole fleet.
//
// A Table owns every source's permits. Workers renew what they hold, all sources in one Request, and are answered with what
// they may do until their lease ends: permits, a share of the pace, the fetch method, and which egresses are retired. No
// lease, no request. From what workers report, the table drives each source's breaker and retires egresses, and it keeps
// operators' commands.
//
//	worker                                   owner
//	  Holder.Next    ── Request (sequence) ──►  Table.Renew
//	  Holder.Receive ◄── Answer (TTL)      ──
//	  Holder.Release ── (name)             ──►  Table.Release
//
// # The invariant
//
// At no instant do the requests in flight, over all workers, exceed the ceiling in force, nor what was in force before
// while it is being lowered. For every worker the table keeps what the worker can have in flight at most (Exposed). It
// gives out only what is left of the ceiling when all that is added up. An exposed permit is free again when
//
//   - the worker says, in a later request, that it acts on less and has no more than that in flight, or
//   - the worker has released everything, or
//   - the worker's lease has ended by the owner's clock, and as long has passed as its requests may go on at the source: the
//     longest Linger that was in force at its renewals, or that it told of. A configuration of later does not shorten that.
//
// The worker counts its lease from when it sent the request; the owner counts from when it handled it, and a tenth longer.
// So the worker always stops first, and the clocks need not agree; they need only run equally fast, to within a tenth. The
// table's own time never runs backwards. If it jumps ahead by more than the time that has passed, leases end early at the
// owner; when it is set back after that, the table's time stands still until it has been caught up with, and what waits for a
// time waits for as much longer. Keep the clocks of the machines that serve the engine in step.
//
// A table can forget what workers were told: its workflow was reset to an earlier moment, or deleted. Every run of the owner
// has a name, which its answers carry and requests repeat (Begin). Where a worker shows the answer of a run that the table
// does not know, or permits that it has not given, nobody is given more until all that was forgotten has run out: the longest
// lease that workers tell of by then, or that the settings have, and the longest Linger besides. In a run that was reset, what
// a request tells of faults and waits is no news until a worker shows an answer of that run: the request may be one of the
// past, played again. A table that is new, and met by new workers first, cannot know: do not delete the owner. Nor can one
// know of leases that were longer than what any of those says who renew by then.
//
// Starts of requests are held to the pace in the same way: in any span of time w, at most Burst + pace × w requests start.
// Each worker with a share has a bucket for one request, so at most Burst workers share a pace; a new share starts with
// what has gathered since the last one was given up. With a least interval between requests (MinInterval, or a crawl
// delay), one worker at a time has the pace, and two starts are never closer than the interval.
//
// # Who gets how much
//
// Every worker that names a source may get a permit for it, by rank, if there are enough: first those that have work and
// permits, then those that have work and none, the longest waiting first; those that hold what others wait for pass it on
// after a turn; then workers that have shown no work, since only with a permit can they poll for some. The rest goes evenly
// to those that have work, up to what they have work for. Workers without work keep two permits at most, while nobody needs
// them. A worker whose process is full, and that has shown no work, is served last, and with one permit at most; but not left
// out: what fills a process may fill it for ever, and only with a permit can it see that there is work. Remainders stay where
// they are, and a worker that uses nearly all that it holds keeps it, so permits rest unless the work moves.
//
// # What a worker must do
//
// Holder does the first five; the rest is the caller's.
//
//  1. Have a name that no other process ever has, and number requests from 1; number a repetition anew.
//  2. Count the lease from before a request is sent, with the TTL of its answer.
//  3. After sending a request, use an answer to an earlier one only to lengthen the lease and to lower grants.
//  4. Report in each request, for each source served, what is acted on (Held, Rate) and really in flight (InFlight). A source
//     that a request leaves out is taken as given back.
//  5. After the lease has ended, act on nothing, and report so, until an answer to a later request.
//  6. Start a request only while fewer are in flight than Holder.Grant(now).Permits, and when the Pacer lets it; look at the
//     clock right before the request is written, since the process may have been stopped in between. A request counts as in
//     flight from before it is dialled until its body has been read or its connection closed. robots.txt and redirects count.
//  7. Break off every request in flight as soon as the lease has ended (Holder.Leased). The tenth that the owner counts longer
//     is for noticing.
//  8. When a grant is lower than what is in flight, start nothing, and let what runs end. When it is zero, do not poll.
//  9. Renew at Holder.RenewAt, answered or not. Renew early, though not within a quarter of a second of the last time, when a
//     source has throttled or begins to fail, when a probe of a half-open breaker has ended, when an egress has failed five times in
//     a row, when what exceeded a grant has ended, and when work waits, all permits are used, Grant.Spare is not zero and the
//     process is not full: a full one can use no more permits, and would ask for some with every piece of work.
//  10. Report what was seen once, in the first request after it, except a Retry-After: that is reported, with what is left
//     of it, until it is over. Obey it at once: the fleet follows with its next renewals. The owner takes it in from a worker
//     whose lease runs without interruption; what one tells whose lease has ended, or who is new, may be long over, so that it
//     counts with the next request. It is over as well when a grant
//     tells of a release of the breaker that the worker had not heard of when it was asked to wait.
//  11. Keep a crawl delay that was just read in robots.txt at once, and report it from then on in every request.
//  12. Set the source's Pacer with every grant, and to no rate when the lease ends.
//  13. Start no request through an egress that the latest answer retires. A Trial allows one request, however many answers
//     repeat it, and its end is reported like any other, also when the trial is another worker's by then.
//  14. Say in each request of which of the owner's runs the answer is that is acted on, and how long its lease lasts; without
//     a lease "none", and to which request it was the answer. Holder does so. Say besides how long a request may go on at the
//     source when the worker is lost (Linger), if that is not what the configuration in force says, or may not be.
//  15. At shutdown: stop polling, let requests end or cancel them, then call Table.Release. A worker that is told that it is
//     released stops at once.
//
// # Inside a workflow
//
// The package has no clock, no randomness, no goroutines and no I/O, and no order of a map shows in any result: the same
// calls give the same answers when a history is replayed. Shares of a pace are whole numbers for the same reason. The
// table is one JSON value and survives continue-as-new at any moment; its field names are a promise to running workflows.
// A zone database may differ between machines, so Hours carry the offsets of their zone, read by ZoneOf outside of the
// workflow. Holder and Pacer are for workers, never for workflows.
//
// The package knows no Temporal SDK, no HTTP and no configuration file.
package lease
