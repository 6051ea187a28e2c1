// Package stacktest gives tests the embedded stack: one that all tests of a process share, or a private one for a test that
// kills it or needs it otherwise. It knows testing and the stack's process, and nothing of what tests do with it.
package stacktest

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/weir-collect/weir/internal/stack"
)

// EnvBinary names a built stack that tests use instead of building one from the sources around them.
const EnvBinary = "WEIR_DEVSTACK"

// startTimeout leaves room for a build on a small machine; a start takes seconds.
const startTimeout = 20 * time.Minute

// readyTimeout is what a start may take on a machine that is busy with other tests.
const readyTimeout = 5 * time.Minute

// shared is the stack of this test process.
var shared struct {
	once  sync.Once
	stack *stack.Stack
	data  string
	err   error
}

// Main runs the tests of a package and then stops the shared stack. Call it from TestMain of every package that uses
// Shared.
func Main(m *testing.M) {
	defer stopShared()
	m.Run() // the testing package exits with its result when TestMain returns
}

// Shared gives the stack that all tests of this process use, and starts it for the first of them. Tests keep apart by
// their own namespaces, ids and object keys, and leave it running. With -short the test is skipped.
func Shared(t testing.TB) *stack.Stack {
	t.Helper()
	skipShort(t)
	shared.once.Do(startShared)
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	if err := shared.stack.Err(); err != nil {
		t.Fatal(err)
	}
	return shared.stack
}

// New gives the test a stack of its own, on an empty folder, and stops it when the test ends. Each change may alter the
// options before the start. With -short the test is skipped.
func New(t testing.TB, changes ...func(*stack.Options)) *stack.Stack {
	t.Helper()
	skipShort(t)
	o := options(t.TempDir())
	for _, change := range changes {
		change(&o)
	}
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	s, err := stack.Start(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return s
}

func skipShort(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("needs the embedded stack, which -short leaves out")
	}
}

func options(data string) stack.Options {
	return stack.Options{Binary: os.Getenv(EnvBinary), Data: data, NoWeb: true, Progress: os.Stderr, ReadyTimeout: readyTimeout}
}

func startShared() {
	shared.data, shared.err = os.MkdirTemp("", "weir-stack-")
	if shared.err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	shared.stack, shared.err = stack.Start(ctx, options(shared.data))
}

func stopShared() {
	if shared.stack != nil {
		if err := shared.stack.Stop(context.Background()); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
	if shared.data != "" {
		if err := os.RemoveAll(shared.data); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
}
