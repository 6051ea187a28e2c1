// Package main is the devstack: Temporal, Temporal Web and an S3 gateway in one process, over one folder. It is what weir is
// developed, tested and measured on. It knows nothing of weir but the names of its search attributes, and imports nothing of
// it, so that nobody who imports weir inherits a database server.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
)

func main() { os.Exit(run(os.Args[1:])) }

// run is the whole life of a devstack; its result is the exit code.
func run(args []string) int {
	o, err := parseOptions(args, os.Getenv, os.Stdout)
	if errors.Is(err, flag.ErrHelp) {
		return exitOK
	}
	if err != nil {
		return fail(exitUsage, err)
	}
	stdout, err := redirectStdout(o.logLevel)
	if err != nil {
		return fail(exitFailed, err)
	}
	// Histories, submitted files and captured pages are nobody else's on this machine, whichever library writes them.
	syscall.Umask(0o077)
	ctx, cancel := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer cancel()
	if o.exitWithParent {
		go func() { _, _ = io.Copy(io.Discard, os.Stdin); cancel() }()
	}

	s, err := startStack(ctx, o)
	if ctx.Err() != nil && err != nil {
		return exitOK // asked to stop before it was up
	}
	if err != nil {
		return fail(exitFailed, err)
	}
	if err := printReady(stdout, o, s.ports); err != nil {
		s.stop()
		return fail(exitFailed, fmt.Errorf("print the ready line: %w", err))
	}
	return serve(ctx, s)
}

// serve waits for the end: a signal, the parent's death, or a part that gave up.
func serve(ctx context.Context, s *stack) int {
	select {
	case <-ctx.Done():
		s.stop()
		return exitOK
	case <-s.failed():
		s.stop()
		return fail(exitFailed, s.gateway.failure())
	}
}

// fail tells people what is wrong in one line.
func fail(code int, err error) int {
	fmt.Fprintf(os.Stderr, "devstack: %s\n", oneLine(err))
	return code
}
