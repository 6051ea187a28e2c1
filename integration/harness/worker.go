package harness

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/weir-collect/weir/internal/connect"
	"github.com/weir-collect/weir/internal/telemetry"
	"github.com/weir-collect/weir/workers"
)

// What a worker process is told through its environment.
const (
	envWorker    = "WEIR_HARNESS_WORKER"
	envAccessKey = "WEIR_HARNESS_ACCESS_KEY"
	envSecretKey = "WEIR_HARNESS_SECRET_KEY"

	// readyTimeout bounds the start of a worker.
	readyTimeout = 3 * time.Minute
	// stopTimeout bounds its end; its grace is shorter, and the rest is a busy machine's.
	stopTimeout = 90 * time.Second
)

// ReadyLine is what a process prints once it polls.
const ReadyLine = "ready"

// Child runs a worker and exits, in a process that was started to be one. Elsewhere it does nothing.
func Child() {
	path, ok := os.LookupEnv(envWorker)
	if !ok {
		return
	}
	if err := runWorker(path); err != nil {
		fmt.Fprintln(os.Stderr, "worker:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

func runWorker(path string) error {
	cfg, err := loadConfig(path)
	if err != nil {
		return err
	}
	logger, err := telemetry.NewLogger(os.Stderr, cfg.Worker.LogFormat, cfg.Worker.LogLevel)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	go func() {
		// The pipe ends with the process that started us, however that ended.
		_, _ = bufio.NewReader(os.Stdin).ReadByte()
		stop()
	}()
	return workers.Run(ctx, workers.Options{
		Config: cfg, Logger: logger, Secrets: connect.SystemSecrets(),
		Ready: func() { fmt.Println(ReadyLine) },
	})
}

// Worker is a worker process.
type Worker struct {
	cmd   *exec.Cmd
	ended chan struct{}
	err   error
	once  sync.Once
	// mayDie says that its death is what the drill wants.
	mayDie bool
}

// StartWorker starts a worker process and waits until it polls.
func (f *Fleet) StartWorker() (*Worker, error) {
	return f.StartProcess(envWorker+"="+f.configPath, envAccessKey+"="+f.Stack.AccessKey, envSecretKey+"="+f.Stack.SecretKey)
}

// StartProcess starts this program again, with variables that tell it what to be, and waits until it prints ReadyLine.
func (f *Fleet) StartProcess(variables ...string) (*Worker, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	return f.startProgram(self, variables...)
}

// StartFaulty starts a worker out of another build of the test program, with the fault that WEIR_FAULT stands for.
func (f *Fleet) StartFaulty(program, fault string) (*Worker, error) {
	w, err := f.startProgram(program, envWorker+"="+f.configPath, envAccessKey+"="+f.Stack.AccessKey, envSecretKey+"="+f.Stack.SecretKey,
		"WEIR_FAULT="+fault)
	if w != nil {
		w.mayDie = true
	}
	return w, err
}

func (f *Fleet) startProgram(program string, variables ...string) (*Worker, error) {
	cmd := exec.Command(program)
	cmd.Env = slices.Concat(os.Environ(), sdkPatience, variables)
	cmd.Stderr = f.options.Log
	if _, err := cmd.StdinPipe(); err != nil {
		return nil, fmt.Errorf("start a worker: %w", err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("start a worker: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start a worker: %w", err)
	}
	w := &Worker{cmd: cmd, ended: make(chan struct{})}
	ready := make(chan struct{})
	go func() {
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			if lines.Text() == ReadyLine {
				close(ready)
			}
		}
		w.err = cmd.Wait()
		close(w.ended)
	}()
	f.workers = append(f.workers, w)
	select {
	case <-ready:
		return w, nil
	case <-w.ended:
		w.mayDie = true // whoever starts it is told here, and not once more by Close
		return nil, fmt.Errorf("the worker ended before it was ready: %w", w.err)
	case <-time.After(readyTimeout):
		w.Kill()
		return nil, fmt.Errorf("the worker was not ready within %s", readyTimeout)
	}
}

// Ended is closed when the process has ended, however it did.
func (w *Worker) Ended() <-chan struct{} { return w.ended }

// PID is the process's id.
func (w *Worker) PID() int { return w.cmd.Process.Pid }

// Kill ends the process as a crash would.
func (w *Worker) Kill() {
	w.once.Do(func() {
		_ = w.cmd.Process.Signal(syscall.SIGKILL)
		<-w.ended
	})
}

// Stop asks the process to end and waits for it. Stopping a worker that has ended is fine.
func (w *Worker) Stop() error {
	var failed error
	w.once.Do(func() {
		_ = w.cmd.Process.Signal(syscall.SIGTERM)
		select {
		case <-w.ended:
			if !w.mayDie {
				failed = w.err
			}
		case <-time.After(stopTimeout):
			_ = w.cmd.Process.Signal(syscall.SIGKILL)
			<-w.ended
			failed = fmt.Errorf("worker %d did not end within %s of SIGTERM", w.PID(), stopTimeout)
		}
	})
	return failed
}

// Freeze stops the process without ending it, and Thaw lets it go on.
func (w *Worker) Freeze() error { return w.cmd.Process.Signal(syscall.SIGSTOP) }

// Thaw lets a frozen process go on.
func (w *Worker) Thaw() error { return w.cmd.Process.Signal(syscall.SIGCONT) }
