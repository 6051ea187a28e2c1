package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"
)

// envRun makes the test binary a devstack: the tests run the same main as the real one, in a process of its own that can
// be killed, without linking it a second time.
const envRun = "DEVSTACK_TEST_RUN"

func TestMain(m *testing.M) {
	if os.Getenv(envRun) != "" {
		os.Exit(run(os.Args[1:]))
	}
	os.Exit(m.Run())
}

// process is a devstack under test.
type process struct {
	ready  readyLine
	cmd    *exec.Cmd
	stdin  io.Closer
	stdout *lockedBuffer
	stderr *lockedBuffer
	exited chan struct{}
}

// command prepares a devstack with free ports that ends with the test, whatever happens to the test.
func command(t *testing.T, dir string, args ...string) *process {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	all := append([]string{"--data", dir, "--temporal-port", "0", "--web-port", "0", "--s3-port", "0", "--exit-with-parent"}, args...)
	p := &process{cmd: exec.Command(self, all...), stdout: &lockedBuffer{}, stderr: &lockedBuffer{}, exited: make(chan struct{})}
	p.cmd.Env = append(os.Environ(), envRun+"=1")
	p.cmd.Stderr = p.stderr
	p.stdin, err = p.cmd.StdinPipe()
	require.NoError(t, err)
	return p
}

// start runs a devstack until its ready line.
func start(t *testing.T, dir string, args ...string) *process {
	t.Helper()
	if testing.Short() {
		t.Skip("starts a devstack; left out by -short")
	}
	p := command(t, dir, args...)
	out, err := p.cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, p.cmd.Start())
	t.Cleanup(p.kill)

	lines := make(chan string, 1)
	var reading sync.WaitGroup
	reading.Go(func() {
		scanner := bufio.NewScanner(io.TeeReader(out, p.stdout))
		for scanner.Scan() {
			select {
			case lines <- scanner.Text():
			default:
			}
		}
	})
	go func() { reading.Wait(); _ = p.cmd.Wait(); close(p.exited) }()

	select {
	case line := <-lines:
		require.NoError(t, json.Unmarshal([]byte(line), &p.ready), line)
	case <-p.exited:
		t.Fatalf("the devstack ended before it was ready: %s", p.stderr)
	case <-time.After(5 * time.Minute):
		t.Fatalf("the devstack was not ready in time: %s", p.stderr)
	}
	return p
}

// fails runs a devstack that must not come up, and returns its exit code and stderr.
func fails(t *testing.T, dir string, args ...string) (int, string) {
	t.Helper()
	p := command(t, dir, args...)
	p.cmd.Stdout = p.stdout
	err := p.cmd.Run()
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit)
	require.Empty(t, p.stdout.String(), "stdout is for the ready line")
	return exit.ExitCode(), p.stderr.String()
}

// kill ends the process the hard way: kill -9.
func (p *process) kill() {
	_ = p.cmd.Process.Signal(syscall.SIGKILL)
	<-p.exited
}

func (p *process) waitExit(t *testing.T, within time.Duration) {
	t.Helper()
	select {
	case <-p.exited:
	case <-time.After(within):
		t.Fatalf("still running after %s; it has said: %s", within, p.stderr)
	}
}

func (p *process) dial(t *testing.T) client.Client {
	t.Helper()
	c, err := client.Dial(client.Options{HostPort: p.ready.Temporal, Namespace: p.ready.Namespace, Logger: silent{}})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

func (p *process) s3() *s3.Client {
	return s3.New(s3.Options{
		BaseEndpoint: aws.String(p.ready.S3), Region: p.ready.Region, UsePathStyle: true, RetryMaxAttempts: 1,
		// The gateway is killed between requests: no connection may be kept from before.
		HTTPClient: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}},
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "weir", SecretAccessKey: "weir-secret"}, nil
		}),
	})
}

// lockedBuffer collects output that a process is still writing.
type lockedBuffer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}
