package stack

import (
	"crypto/rand"
	"io"
	"os"
	"strconv"
	"time"
)

// Options says which stack to run, and on what.
type Options struct {
	// Binary is a built stack; empty means Build, with Source, Cache and Progress as BuildOptions has them.
	Binary, Source, Cache string
	Progress              io.Writer

	// Data is the folder of the databases and the objects; it is created if it is missing. It must be given: the stack's
	// state outlives the process.
	Data string
	// TemporalPort, WebPort and S3Port are TCP ports on 127.0.0.1; 0 means a free one.
	TemporalPort, WebPort, S3Port int
	// Namespace, Retention, Bucket and LogLevel are the stack's own defaults when they are zero.
	Namespace string
	Retention time.Duration
	Bucket    string
	LogLevel  string
	// AccessKey and SecretKey are what S3 clients sign with; empty means "weir" and a random secret.
	AccessKey, SecretKey string
	// NoWeb leaves Temporal Web out.
	NoWeb bool

	// Stderr receives the stack's log; nil means that only its last lines are kept, for errors.
	Stderr io.Writer
	// ReadyTimeout bounds the wait for the stack to answer; zero means 60 s.
	ReadyTimeout time.Duration
}

const (
	defaultReadyTimeout = 60 * time.Second

	// Keys travel in the environment: a command line is readable to every user of the machine.
	envAccessKey = "WEIR_DEVSTACK_ACCESS_KEY"
	envSecretKey = "WEIR_DEVSTACK_SECRET_KEY"
)

func (o Options) withDefaults() Options {
	if o.AccessKey == "" {
		o.AccessKey = "weir"
	}
	if o.SecretKey == "" {
		o.SecretKey = rand.Text()
	}
	if o.ReadyTimeout == 0 {
		o.ReadyTimeout = defaultReadyTimeout
	}
	return o
}

// args is the child's command line.
func (o Options) args() []string {
	args := []string{
		"--exit-with-parent",
		"--data", o.Data,
		"--temporal-port", strconv.Itoa(o.TemporalPort),
		"--web-port", strconv.Itoa(o.WebPort),
		"--s3-port", strconv.Itoa(o.S3Port),
	}
	for _, flag := range []struct{ name, value string }{
		{"--namespace", o.Namespace}, {"--bucket", o.Bucket}, {"--log-level", o.LogLevel},
	} {
		if flag.value != "" {
			args = append(args, flag.name, flag.value)
		}
	}
	if o.Retention != 0 {
		args = append(args, "--retention", o.Retention.String())
	}
	if o.NoWeb {
		args = append(args, "--no-web")
	}
	return args
}

// env is the child's environment.
func (o Options) env() []string {
	return append(os.Environ(), envAccessKey+"="+o.AccessKey, envSecretKey+"="+o.SecretKey)
}
