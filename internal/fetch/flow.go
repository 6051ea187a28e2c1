package fetch

import (
	"context"
	"io"
)

// flow counts and bounds what comes out of one step of a body's reading, the connection or a decoder, and ends it when the
// exchange has ended: a decoder may be busy for long with bytes that arrived in no time. It keeps the error that ended it
// apart from what the next decoder makes of it.
type flow struct {
	ctx  context.Context
	from io.Reader
	// most is how many bytes may come; more of them end in tooMany.
	most    int64
	tooMany error
	count   int64
	err     error
}

func (f *flow) Read(p []byte) (int, error) {
	if f.err == nil && f.ctx.Err() != nil {
		f.err = &bodyError{cause: f.ctx.Err()}
	}
	if f.err != nil {
		return 0, f.err
	}
	n, err := f.from.Read(p)
	f.count += int64(n)
	switch {
	case f.count > f.most:
		f.err = f.tooMany
	case err != nil:
		f.err = err
	}
	return n, f.err
}
