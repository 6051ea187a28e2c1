package stack

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// BuildOptions says what to build and where to keep it.
type BuildOptions struct {
	// Source is the folder of the stack's module; empty means FindSource.
	Source string
	// Cache is the folder that keeps built binaries; empty means the folder "weir" in the user's cache folder.
	Cache string
	// Progress hears how long a build has taken so far: on a terminal as one line that is rewritten, elsewhere as a line
	// every 15 s. A binary that is in the cache needs none. Nil means silence.
	Progress io.Writer
}

const (
	buildingText = "building the embedded stack (once; takes minutes)"
	waitingText  = "waiting for another process that builds the embedded stack"
	// buildTail is how many lines of a failed build an error quotes.
	buildTail = 8
	// buildGrace is how long an interrupted build may clean up.
	buildGrace = 5 * time.Second
)

// Build gives the path of the stack's binary, building it if this version of its sources has not been built before.
// Builders on one cache wait for each other.
func Build(ctx context.Context, o BuildOptions) (string, error) {
	source := o.Source
	if source == "" {
		found, err := FindSource()
		if err != nil {
			return "", err
		}
		source = found
	}
	hash, err := sourceHash(source)
	if err != nil {
		return "", err
	}
	cache, err := openCache(o.Cache)
	if err != nil {
		return "", err
	}
	if binary, ok := cache.get(hash); ok {
		return binary, nil
	}

	report := newReporter(o.Progress)
	unlock, err := lock(ctx, cache.lockFile(), report)
	if err != nil {
		return "", fmt.Errorf("build the embedded stack: %w", err)
	}
	defer unlock()
	if binary, ok := cache.get(hash); ok { // built by whom we waited for
		return binary, nil
	}
	done := report.during(buildingText)
	defer done()
	return cache.put(hash, func(path string) error { return goBuild(ctx, source, path) })
}

// goBuild compiles the module at source to a file. It changes nothing that would make Go compile the hundreds of
// packages below it anew when a developer has built the module before.
func goBuild(ctx context.Context, source, output string) error {
	output, err := filepath.Abs(output)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-buildvcs=false", "-ldflags=-s -w", "-o", output, ".")
	cmd.Dir = source
	// A go.work around the clone would decide which versions the nested module gets.
	cmd.Env = append(os.Environ(), "GOWORK=off")
	// The compilers are children of the go command, and must end with it.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGINT) }
	cmd.WaitDelay = buildGrace
	var said tail
	cmd.Stdout, cmd.Stderr = &said, &said

	err = cmd.Run()
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("build the embedded stack: %w", context.Cause(ctx))
	case errors.Is(err, exec.ErrNotFound):
		return fmt.Errorf("build the embedded stack: the go command is not in PATH: install Go, or give a built one with --devstack BINARY (%w)", err)
	default:
		return fmt.Errorf("build the embedded stack in %s: %w: %s", source, err, strings.Join(said.last(buildTail), "; "))
	}
}
