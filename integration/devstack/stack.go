package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"sync"
	"time"

	webserver "github.com/temporalio/ui-server/v2/server"
	"go.temporal.io/server/temporal"
)

const (
	// startTimeout is for the busiest machine: whoever starts a devstack may be less patient.
	startTimeout = 4 * time.Minute
	// stopTimeout bounds a clean stop. What is not done by then needs no clean stop: both stores survive a kill.
	stopTimeout = 8 * time.Second
)

// stack is the running devstack.
type stack struct {
	options  options
	ports    ports
	log      *serverLog
	lock     *folderLock
	temporal temporal.Server
	web      *webserver.Server
	gateway  *gateway
}

// startStack starts every part and returns when all of them answer, or with what is wrong in one line. It takes the data
// folder's lock before anything else, so that nothing is touched that belongs to another devstack.
func startStack(ctx context.Context, o options) (*stack, error) {
	lock, err := lockFolder(o.dataDir)
	if err != nil {
		return nil, err
	}
	s := &stack{options: o, lock: lock, log: newServerLog(os.Stderr, o.logLevel)}
	if err := s.start(ctx); err != nil {
		s.stop()
		return nil, err
	}
	s.log.settled()
	return s, nil
}

func (s *stack) start(ctx context.Context) error {
	p, err := choosePorts(s.options)
	if err != nil {
		return err
	}
	s.ports = p
	dbs := newDatabases(s.options.dataDir)
	if err := dbs.prepare(s.options.dataDir); err != nil {
		return err
	}
	namespaceID, err := ensureNamespace(dbs.workflows, s.options.namespace, s.options.retention)
	if err != nil {
		return err
	}
	if s.gateway, err = startGateway(s.options, p); err != nil {
		return err
	}
	server, err := newTemporal(s.options, p, dbs, s.log)
	if err != nil {
		return err
	}
	if err := server.Start(); err != nil {
		return fmt.Errorf("Temporal cannot start: %s", oneLine(err)) //nolint:staticcheck // a name
	}
	s.temporal = server
	if !s.options.noWeb {
		s.web = startWeb(s.options, p)
	}
	return s.await(ctx, namespaceID)
}

// await returns when every part answers, or as soon as the gateway gives up.
func (s *stack) await(ctx context.Context, namespaceID string) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- s.answers(ctx, namespaceID) }()
	select {
	case err := <-ended:
		return err
	case <-s.gateway.done:
		return s.gateway.failure()
	}
}

// answers asks the parts one after the other until each has answered once.
func (s *stack) answers(ctx context.Context, namespaceID string) error {
	if err := awaitTemporal(ctx, address(s.ports.frontend), s.options.namespace, namespaceID); err != nil {
		return fmt.Errorf("Temporal does not answer on %s: %s", address(s.ports.frontend), oneLine(err)) //nolint:staticcheck // a name
	}
	if err := awaitS3(ctx, s.options, "http://"+address(s.ports.s3)); err != nil {
		return fmt.Errorf("the S3 gateway does not answer on %s: %s", address(s.ports.s3), oneLine(err))
	}
	if s.web == nil {
		return nil
	}
	if err := retry(ctx, func(ctx context.Context) error { return getOK(ctx, "http://"+address(s.ports.web)+"/healthz") }); err != nil {
		return fmt.Errorf("Temporal Web does not answer on %s: %s", address(s.ports.web), oneLine(err)) //nolint:staticcheck // a name
	}
	return nil
}

func getOK(ctx context.Context, url string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answered %s", url, resp.Status)
	}
	return nil
}

// failed tells when a part ended by itself. Of the three, only the gateway can; the others end the process.
func (s *stack) failed() <-chan struct{} { return s.gateway.done }

// stop ends every part, side by side, within stopTimeout, and gives the folder back.
func (s *stack) stop() {
	s.log.stopping()
	var parts sync.WaitGroup
	if s.gateway != nil {
		s.gateway.stop()
		parts.Go(func() { <-s.gateway.done })
	}
	if s.web != nil {
		parts.Go(s.web.Stop)
	}
	if s.temporal != nil {
		parts.Go(func() { _ = s.temporal.Stop() })
	}
	stopped := make(chan struct{})
	go func() { parts.Wait(); close(stopped) }()
	select {
	case <-stopped:
	case <-time.After(stopTimeout):
	}
	s.lock.release()
}
