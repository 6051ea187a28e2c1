package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// options are the flags of one devstack, after defaults and validation.
type options struct {
	// dataDir is absolute: the S3 gateway changes the working directory of the process.
	dataDir string
	// temporalPort, webPort and s3Port are TCP ports on 127.0.0.1; 0 lets the devstack pick a free one.
	temporalPort, webPort, s3Port int
	namespace                     string
	// retention is how long a closed workflow stays readable.
	retention time.Duration
	bucket    string
	// accessKey and secretKey are what S3 clients sign their requests with.
	accessKey, secretKey string
	logLevel             string
	noWeb                bool
	exitWithParent       bool
}

const (
	envAccessKey = "WEIR_DEVSTACK_ACCESS_KEY"
	envSecretKey = "WEIR_DEVSTACK_SECRET_KEY"

	// shortestRetention is what the devstack accepts. A stock server refuses less than an hour; the devstack lowers
	// that minimum so that a test can watch a workflow disappear.
	shortestRetention = time.Second
)

var (
	bucketName = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$`)
	logLevels  = []string{"debug", "info", "warn", "error"}
)

// parseOptions reads the command line. The error names every problem at once, in one line; it is flag.ErrHelp when help
// was asked for and printed.
func parseOptions(args []string, getenv func(string) string, help io.Writer) (options, error) {
	var o options
	fs := flag.NewFlagSet("devstack", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.StringVar(&o.dataDir, "data", ".weir", "`folder` that holds the databases and the objects; created if missing")
	fs.IntVar(&o.temporalPort, "temporal-port", 7233, "`port` of the Temporal frontend (gRPC) on 127.0.0.1; 0 picks a free one")
	fs.IntVar(&o.webPort, "web-port", 8233, "`port` of Temporal Web on 127.0.0.1; 0 picks a free one")
	fs.IntVar(&o.s3Port, "s3-port", 9000, "`port` of the S3 gateway on 127.0.0.1; 0 picks a free one")
	fs.StringVar(&o.namespace, "namespace", "default", "Temporal namespace to create, `name`")
	fs.DurationVar(&o.retention, "retention", 24*time.Hour,
		"how long closed workflows stay readable, `duration` of at least "+shortestRetention.String()+"; applied at every start")
	fs.StringVar(&o.bucket, "bucket", "weir", "S3 bucket to create, `name`")
	fs.StringVar(&o.accessKey, "access-key", orDefault(getenv(envAccessKey), "weir"), "S3 access key, `id`; default also from "+envAccessKey)
	fs.StringVar(&o.secretKey, "secret-key", orDefault(getenv(envSecretKey), "weir-secret"), "S3 secret key, `secret`; default also from "+envSecretKey)
	fs.StringVar(&o.logLevel, "log-level", "warn", "`level` of the log on stderr: "+strings.Join(logLevels, ", "))
	fs.BoolVar(&o.noWeb, "no-web", false, "do not start Temporal Web")
	fs.BoolVar(&o.exitWithParent, "exit-with-parent", false, "stop when stdin reaches its end, so that a parent that dies takes the devstack along")

	if err := fs.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			fs.SetOutput(help)
			fmt.Fprintln(help, "devstack runs Temporal, Temporal Web and an S3 gateway in one process, over one folder.\n\nFlags:")
			fs.PrintDefaults()
			return o, err
		}
		return o, fmt.Errorf("%w; see devstack --help", err)
	}
	if fs.NArg() > 0 {
		return o, fmt.Errorf("unexpected argument %q; see devstack --help", fs.Arg(0))
	}
	return o, o.complete()
}

// complete makes the data folder absolute and reports every invalid value in one error.
func (o *options) complete() error {
	var problems []string
	report := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }

	if abs, err := filepath.Abs(o.dataDir); o.dataDir == "" || err != nil {
		report("--data must name a folder")
	} else {
		o.dataDir = abs
	}
	for _, p := range o.publicPorts() {
		if p.port < 0 || p.port > 65535 {
			report("%s must be between 0 and 65535, is %d", p.flag, p.port)
		}
	}
	if o.namespace == "" || o.namespace == "temporal-system" {
		report("--namespace must be a name of your own, is %q", o.namespace)
	}
	if o.retention < shortestRetention {
		report("--retention must be at least %s, is %s", shortestRetention, o.retention)
	}
	if !bucketName.MatchString(o.bucket) {
		report("--bucket must be 3 to 63 lower-case letters, digits, dots or hyphens, is %q", o.bucket)
	}
	if o.accessKey == "" || o.secretKey == "" {
		report("--access-key and --secret-key must not be empty")
	}
	if !slices.Contains(logLevels, o.logLevel) {
		report("--log-level must be one of %s, is %q", strings.Join(logLevels, ", "), o.logLevel)
	}
	if len(problems) > 0 {
		return errors.New(strings.Join(problems, "; "))
	}
	return nil
}

func orDefault(value, fallback string) string {
	if value == "" {
		return fallback
	}
	return value
}
