package stack

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// pipeGrace is how long the output of an ended child may take to arrive.
const pipeGrace = 2 * time.Second

// readyLine is what the child prints on stdout, once, when all its parts answer.
type readyLine struct {
	Ready     bool   `json:"ready"`
	Temporal  string `json:"temporal"`
	Web       string `json:"web"`
	S3        string `json:"s3"`
	Namespace string `json:"namespace"`
	Bucket    string `json:"bucket"`
	Region    string `json:"region"`
	Data      string `json:"data"`
	PID       int    `json:"pid"`
}

// child is one run of the stack's process.
type child struct {
	cmd *exec.Cmd
	// stdin is never written to: its end is how the child learns that its parent is gone.
	stdin io.Closer
	// ready carries the first line of stdout.
	ready chan string
	said  tail
	// wanted says that the end of the child is our doing.
	wanted atomic.Bool
	ended  chan struct{}
	// exit is how the process ended; read it only after ended is closed.
	exit error
}

// startChild runs the binary. What it says on stderr goes to stderr as well as into the errors of this package.
func startChild(binary string, args, env []string, stderr io.Writer) (*child, error) {
	c := &child{cmd: exec.Command(binary, args...), ready: make(chan string, 1), ended: make(chan struct{})}
	c.cmd.Env = env
	c.cmd.Stdout = &lineSplitter{line: c.firstLine}
	c.cmd.Stderr = &c.said
	if stderr != nil {
		c.cmd.Stderr = io.MultiWriter(&c.said, stderr)
	}
	// Ctrl-C in a terminal goes to the whole process group. The stack must outlast the workers that shut down on it, and
	// so it has a group of its own.
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.cmd.WaitDelay = pipeGrace
	stdin, err := c.cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("start the embedded stack %s: %w", binary, err)
	}
	c.stdin = stdin
	if err := c.cmd.Start(); err != nil {
		_ = stdin.Close()
		return nil, fmt.Errorf("start the embedded stack %s: %w", binary, err)
	}
	go func() {
		c.exit = c.cmd.Wait()
		close(c.ended)
	}()
	return c, nil
}

func (c *child) firstLine(line string) {
	select {
	case c.ready <- line:
	default: // nothing but the first line matters
	}
}

// parseReady reads the ready line.
func parseReady(line string) (readyLine, error) {
	var r readyLine
	if err := json.Unmarshal([]byte(line), &r); err != nil || !r.Ready || r.Temporal == "" || r.S3 == "" {
		return readyLine{}, fmt.Errorf("its first line is no ready line: %.200q", line)
	}
	return r, nil
}

// terminate asks the child to stop.
func (c *child) terminate() { c.signal(syscall.SIGTERM) }

// kill ends the child without asking it.
func (c *child) kill() { c.signal(syscall.SIGKILL) }

func (c *child) signal(s syscall.Signal) {
	select {
	case <-c.ended:
		return // by itself, as failure shall say
	default:
	}
	c.wanted.Store(true)
	// The only error is that the process has ended just now, which is what was wanted.
	_ = c.cmd.Process.Signal(s)
}

// failure is why the child is gone: nil while it runs, and when we ended it.
func (c *child) failure() error {
	select {
	case <-c.ended:
	default:
		return nil
	}
	if c.wanted.Load() {
		return nil
	}
	reason := c.exit
	if reason == nil {
		reason = errors.New("exit status 0")
	}
	return fmt.Errorf("the embedded stack ended by itself (%w)%s", reason, c.lastWords())
}

// lastWords is what the child said last on stderr, as the end of a sentence.
func (c *child) lastWords() string {
	const quoted = 3
	lines := c.said.last(quoted)
	if len(lines) == 0 {
		return ""
	}
	return ": " + strings.Join(lines, "; ")
}
