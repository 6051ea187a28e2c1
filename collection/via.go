package collection

import "context"

// Via says how one request is to be made; its zero value means directly and unconditionally.
type Via struct {
	// Egress is the name of the egress; empty or EgressDirect for none.
	Egress string
	// ETag and LastModified are what the target said of the bytes that are already here. With either, the answer may be a
	// Response with NotModified set and no body.
	ETag, LastModified string
	// Hop is asked before every request that a redirect leads to, with its URL; nil agrees to all. A *Refused ends the
	// fetch with its reason; any other error ends it as one that our own side broke off.
	Hop func(ctx context.Context, url string) error
	// Room is asked once, before a body grows beyond SmallBody or is unpacked with a window that large, with how many bytes it
	// may come to; nil agrees. Its time is not
	// the target's. What it gives is taken back by who gave it, once the response is done with. Its error ends the fetch as
	// one that our own side broke off.
	Room func(ctx context.Context, bytes int64) error
	// Still is asked right before a connection is looked for, after every wait for one, and right before the bytes of a request
	// go out; nil agrees. Its error keeps the request from being sent, and ends the fetch as one that our own side broke off.
	// A fetch that ends without having asked has contacted nobody.
	Still func() error
	// Clip takes the beginning of a body that is larger than the source's MaxBody, instead of none of it.
	Clip bool
}

// SmallBody is how large a body may grow without asking for room, in bytes.
const SmallBody = 1 << 20

// Refused says that a rule of ours forbids a request.
type Refused struct {
	Reason Reason
	// Detail is one sentence for a person.
	Detail string
	// Certain says that another look would find the same, and OfSource that what was found is wrong with a name which the
	// source's configuration writes out.
	Certain, OfSource bool
}

// Error is the sentence.
func (r *Refused) Error() string { return r.Detail }
