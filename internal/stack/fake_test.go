package stack

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// The test binary stands in for the stack: run with the stack's flags it behaves as the stack's process does at its edge.
// The namespace tells it how.
const (
	fakeGood       = "good"
	fakeRefuses    = "refuses"     // reports an error and exits
	fakeQuits      = "quits"       // exits without a word
	fakeHangs      = "hangs"       // never becomes ready
	fakeBabbles    = "babbles"     // prints something else than a ready line
	fakeBadAddress = "bad-address" // is ready, on an address that is none
	fakeStubborn   = "stubborn"    // does not stop when asked
	fakeCrashes    = "crashes"     // ends by itself soon after it was ready
)

// envParent makes the test binary start a fake stack on the folder that it names, print its address and wait.
const envParent = "WEIR_STACK_TEST_PARENT"

func TestMain(m *testing.M) {
	switch {
	case slices.Contains(os.Args, "--exit-with-parent"):
		os.Exit(runFake(os.Args[1:]))
	case os.Getenv(envParent) != "":
		os.Exit(runParent(os.Getenv(envParent)))
	default:
		m.Run()
	}
}

func runFake(args []string) int {
	fs := flag.NewFlagSet("fake", flag.ExitOnError)
	data := fs.String("data", "", "")
	namespace := fs.String("namespace", fakeGood, "")
	temporal, web, s3 := fs.Int("temporal-port", 7233, ""), fs.Int("web-port", 8233, ""), fs.Int("s3-port", 9000, "")
	bucket := fs.String("bucket", "weir", "")
	retention := fs.String("retention", "", "")
	logLevel := fs.String("log-level", "warn", "")
	noWeb := fs.Bool("no-web", false, "")
	fs.Bool("exit-with-parent", false, "")
	_ = fs.Parse(args)

	fmt.Fprintln(os.Stderr, "level", *logLevel, "retention", *retention)
	switch *namespace {
	case fakeRefuses:
		fmt.Fprintln(os.Stderr, "data folder is in use by another devstack")
		return 1
	case fakeQuits:
		return 0
	case fakeHangs:
		fmt.Fprintln(os.Stderr, "still migrating")
		_, _ = io.Copy(io.Discard, os.Stdin)
		return 0
	case fakeBabbles:
		fmt.Println("hello")
		_, _ = io.Copy(io.Discard, os.Stdin)
		return 0
	}
	if *namespace == fakeStubborn {
		signal.Ignore(syscall.SIGTERM)
	}
	ready := readyLine{
		Ready: true, Namespace: *namespace, Bucket: *bucket, Region: "us-east-1", Data: *data, PID: os.Getpid(),
		Temporal: listen(*temporal), S3: "http://" + listen(*s3),
	}
	if !*noWeb {
		ready.Web = "http://" + listen(*web)
	}
	if *namespace == fakeBadAddress {
		ready.Temporal = "nowhere"
	}
	return serveFake(*namespace, ready)
}

func serveFake(mode string, ready readyLine) int {
	// What the keys were, for the test to see.
	keys := os.Getenv(envAccessKey) + ":" + os.Getenv(envSecretKey)
	if err := os.WriteFile(filepath.Join(ready.Data, "keys"), []byte(keys), 0o600); err != nil {
		panic(err)
	}
	stop := make(chan os.Signal, 1)
	if mode != fakeStubborn {
		signal.Notify(stop, syscall.SIGTERM)
	}
	line, err := json.Marshal(ready)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(line))

	crash := make(<-chan time.Time)
	if mode == fakeCrashes {
		crash = time.After(50 * time.Millisecond)
	}
	parentGone := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		close(parentGone)
	}()
	select {
	case <-stop:
		fmt.Fprintln(os.Stderr, "stopped in order")
		return 0
	case <-parentGone:
		return 0
	case <-crash:
		fmt.Fprintln(os.Stderr, "disk full")
		return 3
	}
}

// listen opens a port; 0 means a free one. Like the stack, it picks from below the range of outgoing connections' ports: a
// port from that range may be anybody's by the time of a restart.
func listen(port int) string {
	for tries := 0; ; tries++ {
		at := port
		if port == 0 {
			at = 20000 + rand.IntN(12000)
		}
		l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(at)))
		if err == nil {
			return l.Addr().String()
		}
		if port != 0 || tries == 1000 {
			panic(err)
		}
	}
}

// runParent is a process that uses a stack and is killed by the test before it can stop it.
func runParent(data string) int {
	s, err := Start(testContext(), Options{Binary: os.Args[0], Data: data, Namespace: fakeGood})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println(s.Temporal)
	_, _ = io.Copy(io.Discard, os.Stdin)
	return 0
}
