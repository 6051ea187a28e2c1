package fetch

import (
	"context"
	"net/http/httptrace"
	"sync/atomic"

	"github.com/weir-collect/weir/internal/failure"
)

// stages in the order in which an exchange passes through them.
var stages = []failure.Stage{failure.StageDNS, failure.StageDial, failure.StageProxy, failure.StageTLS, failure.StageHeader, failure.StageBody}

// progress follows one hop of an exchange, so that a timeout can say what it waited for. It travels in the context, to
// the dialer that the transport runs in a goroutine of its own.
type progress struct {
	// exchange ends when the fetch does.
	exchange context.Context
	stage    atomic.Int32
	// passed says that a proxy has done its part.
	passed atomic.Bool
}

type progressKey struct{}

// withProgress returns the context for one hop.
func withProgress(ctx context.Context, p *progress) context.Context {
	ctx = context.WithValue(ctx, progressKey{}, p)
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		DNSStart:     func(httptrace.DNSStartInfo) { p.reach(failure.StageDNS) },
		ConnectStart: func(string, string) { p.reach(failure.StageDial) },
		GotConn: func(httptrace.GotConnInfo) {
			p.reach(failure.StageHeader)
			p.passed.Store(true)
		},
	})
}

// reach moves the hop forward to a stage; a dial that goes on for a connection which is no longer wanted moves nothing
// back.
func (p *progress) reach(s failure.Stage) {
	for i, stage := range stages {
		if stage != s {
			continue
		}
		for {
			at := p.stage.Load()
			if at >= int32(i) || p.stage.CompareAndSwap(at, int32(i)) {
				return
			}
		}
	}
}

// at is the stage that the hop has come to.
func (p *progress) at() failure.Stage { return stages[p.stage.Load()] }

// reach moves the hop of a context forward.
func reach(ctx context.Context, s failure.Stage) {
	if p, ok := ctx.Value(progressKey{}).(*progress); ok {
		p.reach(s)
	}
}

// pass notes that the proxy of a context's hop has done its part.
func pass(ctx context.Context) {
	if p, ok := ctx.Value(progressKey{}).(*progress); ok {
		p.passed.Store(true)
	}
}

// boundToExchange makes a context end with the exchange that it belongs to.
func boundToExchange(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	p, ok := ctx.Value(progressKey{}).(*progress)
	if !ok {
		return ctx, cancel
	}
	stop := context.AfterFunc(p.exchange, cancel)
	return ctx, func() { stop(); cancel() }
}
