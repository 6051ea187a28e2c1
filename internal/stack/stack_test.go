package stack

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func testContext() context.Context { return context.Background() }

// fakeOptions runs the test binary as a stack.
func fakeOptions(t *testing.T, mode string) Options {
	t.Helper()
	binary, err := os.Executable()
	require.NoError(t, err)
	return Options{Binary: binary, Data: t.TempDir(), Namespace: mode}
}

func startFake(t *testing.T, mode string) *Stack {
	t.Helper()
	s, err := Start(t.Context(), fakeOptions(t, mode))
	require.NoError(t, err)
	t.Cleanup(s.Kill)
	return s
}

func answers(address string) bool {
	conn, err := net.DialTimeout("tcp", address, time.Second)
	if err != nil {
		return false
	}
	_ = conn.Close()
	return true
}

func TestStartAndStop(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	o := fakeOptions(t, fakeGood)
	o.Bucket, o.AccessKey, o.SecretKey = "other", "key", "hush"
	o.Retention, o.LogLevel, o.Stderr = 90*time.Second, "debug", &log
	s, err := Start(t.Context(), o)
	require.NoError(t, err)
	t.Cleanup(s.Kill)

	require.True(t, answers(s.Temporal))
	require.True(t, answers(strings.TrimPrefix(s.S3, "http://")))
	require.True(t, answers(strings.TrimPrefix(s.Web, "http://")))
	require.Equal(t, []string{fakeGood, "other", "us-east-1"}, []string{s.Namespace, s.Bucket, s.Region})
	require.Equal(t, o.Data, s.Data)
	require.Positive(t, s.PID)
	require.NoError(t, s.Err())
	keys, err := os.ReadFile(filepath.Join(s.Data, "keys"))
	require.NoError(t, err)
	require.Equal(t, "key:hush", string(keys))
	require.Equal(t, "key:hush", s.AccessKey+":"+s.SecretKey)

	require.NoError(t, s.Stop(t.Context()))
	<-s.Done()
	require.NoError(t, s.Err())
	require.False(t, answers(s.Temporal))
	require.Equal(t, "level debug retention 1m30s\nstopped in order\n", log.String())
	require.NoError(t, s.Stop(t.Context()), "a second stop does nothing")
}

func TestSecretIsRandomAndNotOnTheCommandLine(t *testing.T) {
	t.Parallel()
	o, other := Options{}.withDefaults(), Options{}.withDefaults()
	require.Equal(t, "weir", o.AccessKey)
	require.NotEqual(t, o.SecretKey, other.SecretKey)
	require.NotContains(t, strings.Join(o.args(), " "), o.SecretKey)
}

func TestWithoutWeb(t *testing.T) {
	t.Parallel()
	o := fakeOptions(t, fakeGood)
	o.NoWeb = true
	s, err := Start(t.Context(), o)
	require.NoError(t, err)
	t.Cleanup(s.Kill)
	require.Empty(t, s.Web)
	require.NoError(t, s.Restart(t.Context()))
}

func TestStartFails(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*Options)
		says   string
	}{
		"no data folder": {func(o *Options) { o.Data = "" }, "name the folder for its data"},
		"no such binary": {func(o *Options) { o.Binary += "-gone" }, "no such file"},
		"refuses":        {func(o *Options) { o.Namespace = fakeRefuses }, "did not start: exit status 1: level"},
		"last words":     {func(o *Options) { o.Namespace = fakeRefuses }, "; data folder is in use by another devstack"},
		"quits":          {func(o *Options) { o.Namespace = fakeQuits }, "exit status 0"},
		"babbles":        {func(o *Options) { o.Namespace = fakeBabbles }, `no ready line: "hello"`},
		"bad address":    {func(o *Options) { o.Namespace = fakeBadAddress }, `bad address "nowhere"`},
		"hangs":          {func(o *Options) { o.Namespace, o.ReadyTimeout = fakeHangs, 300*time.Millisecond }, "not ready within 300ms"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := fakeOptions(t, fakeGood)
			c.change(&o)
			s, err := Start(t.Context(), o)
			require.ErrorContains(t, err, c.says)
			require.NotContains(t, err.Error(), "\n")
			require.Nil(t, s)
		})
	}
}

func TestStartCanBeCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	_, err := Start(ctx, fakeOptions(t, fakeHangs))
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

func TestCrashIsReported(t *testing.T) {
	t.Parallel()
	s := startFake(t, fakeCrashes)
	<-s.Done()
	var exit *exec.ExitError
	require.ErrorAs(t, s.Err(), &exit)
	require.Equal(t, 3, exit.ExitCode())
	require.ErrorContains(t, s.Err(), "disk full")
	require.NoError(t, s.Stop(t.Context()))
	s.Kill()
	require.Error(t, s.Err(), "stopping a crashed stack does not hide the crash")
}

func TestKillAndRestartKeepEverythingButThePID(t *testing.T) {
	t.Parallel()
	s := startFake(t, fakeGood)
	addresses := []string{s.Temporal, strings.TrimPrefix(s.S3, "http://"), strings.TrimPrefix(s.Web, "http://")}
	keysBefore, pid := s.AccessKey+":"+s.SecretKey, s.PID
	s.Kill()
	require.NoError(t, s.Err())
	require.False(t, answers(s.Temporal))

	require.NoError(t, s.Restart(t.Context()))
	require.NoError(t, s.Err())
	for _, address := range addresses {
		require.True(t, answers(address), address)
	}
	require.NotEqual(t, pid, s.PID)
	keys, err := os.ReadFile(filepath.Join(s.Data, "keys"))
	require.NoError(t, err)
	require.Equal(t, keysBefore, string(keys))

	pid = s.PID
	require.NoError(t, s.Restart(t.Context()), "a running stack is stopped first")
	require.NotEqual(t, pid, s.PID)
	require.True(t, answers(addresses[0]))
}

func TestStopKillsTheStubborn(t *testing.T) {
	t.Parallel()
	s := startFake(t, fakeStubborn)
	ctx, cancel := context.WithTimeoutCause(t.Context(), 100*time.Millisecond, errors.New("out of patience"))
	defer cancel()
	require.ErrorContains(t, s.Stop(ctx), "was killed while it stopped: out of patience")
	require.False(t, answers(s.Temporal))
}

// A parent that is killed cannot stop its stack; the stack must notice by itself.
func TestStackEndsWithItsParent(t *testing.T) {
	t.Parallel()
	binary, err := os.Executable()
	require.NoError(t, err)
	parent := exec.Command(binary)
	parent.Env = append(os.Environ(), envParent+"="+t.TempDir())
	stdin, err := parent.StdinPipe()
	require.NoError(t, err)
	defer stdin.Close()
	stdout, err := parent.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, parent.Start())
	address, err := bufio.NewReader(stdout).ReadString('\n')
	require.NoError(t, err)
	address = strings.TrimSpace(address)
	require.True(t, answers(address))

	require.NoError(t, parent.Process.Kill())
	_ = parent.Wait()
	require.Eventually(t, func() bool { return !answers(address) }, time.Minute, 20*time.Millisecond)
}
