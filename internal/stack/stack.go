package stack

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"sync"
	"time"
)

// stopGrace is how long a stack that was asked to stop may take before it is killed.
const stopGrace = 15 * time.Second

// Stack is a running stack, or one that has run. Its fields but PID never change; PID changes with Restart.
type Stack struct {
	// Temporal is the frontend's address, host:port.
	Temporal string
	// Web is the URL of Temporal Web; empty without it.
	Web string
	// S3 is the URL of the S3 gateway.
	S3 string

	Namespace, Bucket, Region string
	AccessKey, SecretKey      string
	// Data is the folder of the databases and the objects, absolute.
	Data string
	// PID is the process now, or the last one.
	PID int

	binary  string
	options Options

	mu  sync.Mutex
	run *child
}

// Start runs a stack and waits until it answers. ctx bounds the start alone: the stack then runs until Stop, Kill or the
// end of this process.
func Start(ctx context.Context, o Options) (*Stack, error) {
	if o.Data == "" {
		return nil, errors.New("start the embedded stack: name the folder for its data")
	}
	o = o.withDefaults()
	binary := o.Binary
	if binary == "" {
		built, err := Build(ctx, BuildOptions{Source: o.Source, Cache: o.Cache, Progress: o.Progress})
		if err != nil {
			return nil, err
		}
		binary = built
	}
	s := &Stack{AccessKey: o.AccessKey, SecretKey: o.SecretKey, binary: binary, options: o}
	ready, err := s.launch(ctx)
	if err != nil {
		return nil, err
	}
	s.Temporal, s.Web, s.S3 = ready.Temporal, ready.Web, ready.S3
	s.Namespace, s.Bucket, s.Region, s.Data = ready.Namespace, ready.Bucket, ready.Region, ready.Data
	if err := s.keepPorts(); err != nil {
		s.Kill()
		return nil, err
	}
	return s, nil
}

// launch starts the process and waits for its ready line.
func (s *Stack) launch(ctx context.Context) (readyLine, error) {
	run, err := startChild(s.binary, s.options.args(), s.options.env(), s.options.Stderr)
	if err != nil {
		return readyLine{}, err
	}
	ready, err := awaitReady(ctx, run, s.options.ReadyTimeout)
	if err != nil {
		run.kill()
		<-run.ended
		return readyLine{}, fmt.Errorf("the embedded stack did not start: %w%s", err, run.lastWords())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.run, s.PID = run, run.cmd.Process.Pid
	return ready, nil
}

func awaitReady(ctx context.Context, run *child, timeout time.Duration) (readyLine, error) {
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	select {
	case line := <-run.ready:
		return parseReady(line)
	case <-run.ended:
		if run.exit != nil {
			return readyLine{}, run.exit
		}
		return readyLine{}, errors.New("exit status 0")
	case <-timer.C:
		return readyLine{}, fmt.Errorf("it was not ready within %s", timeout)
	case <-ctx.Done():
		return readyLine{}, context.Cause(ctx)
	}
}

// keepPorts makes a restart use the ports that this start was given.
func (s *Stack) keepPorts() error {
	for _, p := range []struct {
		port    *int
		address string
	}{
		{&s.options.TemporalPort, s.Temporal}, {&s.options.WebPort, s.Web}, {&s.options.S3Port, s.S3},
	} {
		if p.address == "" {
			continue
		}
		port, err := portOf(p.address)
		if err != nil {
			return fmt.Errorf("the embedded stack's ready line has a bad address %q: %w", p.address, err)
		}
		*p.port = port
	}
	return nil
}

// portOf is the port of an address or of a URL.
func portOf(address string) (int, error) {
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		address = u.Host
	}
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(port)
}

func (s *Stack) current() *child {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.run
}

// Done is closed when the process that runs now has ended, for whatever reason.
func (s *Stack) Done() <-chan struct{} { return s.current().ended }

// Err says why the stack is gone: nil while it runs, and after Stop or Kill.
func (s *Stack) Err() error { return s.current().failure() }

// Stop stops the stack in order and waits for it. A stack that needs more than 15 s, or longer than ctx, is killed, which
// is an error. Stopping a stack that has ended does nothing.
func (s *Stack) Stop(ctx context.Context) error {
	run := s.current()
	select {
	case <-run.ended:
		return nil
	default:
	}
	run.terminate()
	timer := time.NewTimer(stopGrace)
	defer timer.Stop()
	var cause error
	select {
	case <-run.ended:
		return nil
	case <-timer.C:
		cause = fmt.Errorf("it took longer than %s", stopGrace)
	case <-ctx.Done():
		cause = context.Cause(ctx)
	}
	run.kill()
	<-run.ended
	return fmt.Errorf("the embedded stack was killed while it stopped: %w%s", cause, run.lastWords())
}

// Kill ends the stack as a crash would, and waits until its ports are free.
func (s *Stack) Kill() {
	run := s.current()
	run.kill()
	<-run.ended
}

// Restart runs the stack again, on the same folder, ports and keys; one that still runs is stopped first. It must not be
// called while another goroutine reads PID.
func (s *Stack) Restart(ctx context.Context) error {
	if err := s.Stop(ctx); err != nil {
		return err
	}
	_, err := s.launch(ctx)
	return err
}
