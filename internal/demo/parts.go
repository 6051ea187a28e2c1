package demo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/weir-collect/weir/config"
	"github.com/weir-collect/weir/internal/cli/screen"
	"github.com/weir-collect/weir/internal/connect"
	"github.com/weir-collect/weir/internal/demo/site"
	"github.com/weir-collect/weir/internal/stack"
	"github.com/weir-collect/weir/internal/telemetry"
	"github.com/weir-collect/weir/starter"
	"github.com/weir-collect/weir/workers"
)

// logName is the worker's log in the demo's folder.
const logName = "worker.log"

// stopGrace bounds the stop of one part.
const stopGrace = 30 * time.Second

// parts are what the demo has started.
type parts struct {
	stack  *stack.Stack
	site   *site.Site
	worker *worker
	client *starter.Client
	// stopWatching ends the watch over the parts.
	stopWatching context.CancelCauseFunc
}

// start starts every part, and tells of each. The context that it returns ends with the one that it is given, and when a
// part dies.
func (p *parts) start(ctx context.Context, s *show) (context.Context, error) {
	ctx, p.stopWatching = context.WithCancelCause(ctx)
	var err error
	p.stack, err = stack.Start(ctx, stack.Options{Binary: s.Binary, Progress: s.Progress, Data: s.folder.file("stack")})
	if err != nil {
		return ctx, err
	}
	go func() {
		<-p.stack.Done()
		p.stopWatching(p.stack.Err())
	}()
	s.say("Temporal", "%s", p.stack.Temporal)
	s.say("Temporal Web", "%s", p.stack.Web)
	s.say("S3", "%s, bucket %s", p.stack.S3, p.stack.Bucket)
	if p.site, err = site.Start(site.DefaultTiming()); err != nil {
		return ctx, err
	}
	s.say("source site", "%s: %s; %s: %s", p.site.URL(site.ShopHost, "/"), screen.Plural(len(site.Books()), "page"),
		p.site.URL(site.StockHost, "/api/items/"), screen.Plural(len(site.Items()), "item"))
	cfg, err := writeConfig(s.folder, p.stack, p.site)
	if err != nil {
		return ctx, err
	}
	s.say("configuration", "%s", s.folder.file(config.FileName))
	if p.worker, err = startWorker(ctx, cfg, s.folder.file(logName), p.stopWatching); err != nil {
		return ctx, err
	}
	s.say("worker", "in this process; log: %s", s.folder.file(logName))
	p.client, err = starter.Dial(ctx, cfg, connect.SystemSecrets(), slog.New(slog.NewTextHandler(io.Discard, nil)))
	return ctx, err
}

// stop stops every part that was started, the last one first.
func (p *parts) stop() error {
	ctx, cancel := context.WithTimeout(context.Background(), stopGrace)
	defer cancel()
	var problems []error
	if p.client != nil {
		p.client.Close()
	}
	if p.worker != nil {
		problems = append(problems, p.worker.stop())
	}
	if p.site != nil {
		problems = append(problems, p.site.Stop(ctx))
	}
	if p.stack != nil {
		problems = append(problems, p.stack.Stop(ctx))
	}
	p.stopWatching(nil)
	return errors.Join(problems...)
}

// worker is a weir worker in this process.
type worker struct {
	log    *os.File
	cancel context.CancelFunc
	ended  chan error
}

// startWorker returns once the worker polls its queues. failed hears of a worker that ends by itself later.
func startWorker(ctx context.Context, cfg config.Config, logFile string, failed func(error)) (*worker, error) {
	log, err := os.OpenFile(logFile, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the worker's log: %w", err)
	}
	logger, err := telemetry.NewLogger(log, cfg.Worker.LogFormat, cfg.Worker.LogLevel)
	if err != nil {
		return nil, errors.Join(err, log.Close())
	}
	// The worker outlives ctx: it is stopped before the stack, and in order.
	own, cancel := context.WithCancel(context.WithoutCancel(ctx))
	w := &worker{log: log, cancel: cancel, ended: make(chan error, 1)}
	ready := make(chan struct{})
	go func() {
		err := workers.Run(own, workers.Options{
			Config: cfg, Logger: logger, Secrets: connect.SystemSecrets(), Ready: func() { close(ready) },
		})
		if own.Err() == nil {
			failed(fmt.Errorf("the worker ended by itself, see %s: %w", logFile, cmp.Or(err, errors.New("without an error"))))
		}
		w.ended <- err
	}()
	select {
	case <-ready:
		return w, nil
	case err := <-w.ended:
		w.ended <- nil
		return nil, errors.Join(err, w.stop())
	case <-ctx.Done():
		return nil, errors.Join(context.Cause(ctx), w.stop())
	}
}

// stop lets running work end, and waits for it.
func (w *worker) stop() error {
	w.cancel()
	return errors.Join(<-w.ended, w.log.Close())
}
