package robots

import "time"

// How long an answer may be used.
const (
	// DefaultTTL is for a file that was read, and for the knowledge that there is none.
	DefaultTTL = time.Hour
	// MaxTTL is the longest that RFC 9309 section 2.4 allows.
	MaxTTL = 24 * time.Hour
	// ErrorTTL is for a file that could not be read: until it can, nothing is fetched, so it is asked for again soon.
	ErrorTTL = time.Minute
)

// Outcome is what came of asking for a robots.txt.
type Outcome int

// The outcomes of asking for a robots.txt.
const (
	// Absent: the site has none, so everything is allowed (section 2.3.1.3).
	Absent Outcome = iota
	// Read: the file's rules bind.
	Read
	// Unread: nobody can say what the file forbids, so everything is forbidden until it can be read (section 2.3.1.4).
	Unread
)

// Verdict is what a robots.txt, or the lack of one, means. Its zero value is a site without the file.
type Verdict struct {
	Outcome Outcome
	// File is what was read; nil unless Outcome is Read.
	File *File
}

// From judges an answer by its HTTP status.
//
//   - 2xx: the body is the file, whatever it looks like.
//   - 3xx, once the redirects have been followed as far as they are, and 4xx: there is no file.
//   - 429: the server says that it is overloaded, not that there is no file. By the letter of the RFC it would open the
//     whole site; it is taken for a 5xx, as Google does.
//   - 5xx and what is no status at all: the file is out of reach.
func From(status int, body []byte) Verdict {
	const tooManyRequests = 429
	switch {
	case status >= 200 && status < 300:
		return Verdict{Outcome: Read, File: Parse(body)}
	case status >= 300 && status < 500 && status != tooManyRequests:
		return Verdict{Outcome: Absent}
	}
	return Unreachable()
}

// Unreachable is the verdict on a request that had no answer.
func Unreachable() Verdict { return Verdict{Outcome: Unread} }

// For picks the rules for an agent, given by its product token.
func (v Verdict) For(agent string) Rules {
	switch v.Outcome {
	case Read:
		return v.File.For(agent)
	case Absent:
		return Rules{why: WhyNoFile}
	case Unread:
	}
	return Rules{why: WhyUnreachable}
}

// TTL is how long the verdict may be used, given how long the operator wants to use a good one: 0 stands for DefaultTTL, and
// more than MaxTTL is not allowed.
func (v Verdict) TTL(wanted time.Duration) time.Duration {
	switch {
	case v.Outcome == Unread:
		return ErrorTTL
	case wanted <= 0:
		return DefaultTTL
	}
	return min(wanted, MaxTTL)
}
