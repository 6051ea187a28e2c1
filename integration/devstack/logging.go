package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"go.temporal.io/server/common/log"
	"go.uber.org/dig"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// serverLog is the log of the embedded server. While the server starts and stops, it complains about what it cannot help:
// ports it was told not to open, its own services going away one by one. A person who asked for no more than warnings is
// spared that.
type serverLog struct {
	log.Logger
	asked zapcore.Level
	level zap.AtomicLevel
}

// newServerLog writes log lines from level up to w, once settled. What the server calls fatal ends the process with exit
// code 1 and one line for people instead of a log record with a stack trace.
func newServerLog(w io.Writer, level string) *serverLog {
	asked := log.ParseZapLevel(level)
	at := zap.NewAtomicLevelAt(asked)
	out := zapcore.Lock(zapcore.AddSync(w))
	lines := zapcore.NewCore(zapcore.NewConsoleEncoder(log.DefaultZapEncoderConfig), out, zap.LevelEnablerFunc(
		func(l zapcore.Level) bool { return l < zap.FatalLevel && at.Enabled(l) }))
	l := &serverLog{
		Logger: log.NewZapLogger(zap.New(zapcore.NewTee(lines, fatalCore{out}))),
		asked:  asked,
		level:  at,
	}
	l.atLeast(zap.ErrorLevel)
	return l
}

// settled is to be called when the server is up.
func (l *serverLog) settled() { l.level.SetLevel(l.asked) }

// stopping is to be called before the server goes down.
func (l *serverLog) stopping() { l.atLeast(zap.FatalLevel) }

func (l *serverLog) atLeast(quiet zapcore.Level) {
	if l.asked >= zap.WarnLevel {
		l.level.SetLevel(max(l.asked, quiet))
	}
}

// fatalCore prints fatal entries only; zap exits the process after the entry is written.
type fatalCore struct{ out zapcore.WriteSyncer }

func (fatalCore) Enabled(l zapcore.Level) bool        { return l == zap.FatalLevel }
func (c fatalCore) With([]zapcore.Field) zapcore.Core { return c }
func (c fatalCore) Sync() error                       { return c.out.Sync() }

func (c fatalCore) Check(entry zapcore.Entry, checked *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	if c.Enabled(entry.Level) {
		return checked.AddCore(entry, c)
	}
	return checked
}

func (c fatalCore) Write(entry zapcore.Entry, fields []zapcore.Field) error {
	cause := ""
	for _, f := range fields {
		if err, ok := f.Interface.(error); ok && f.Type == zapcore.ErrorType {
			cause = ": " + oneLine(err)
		}
	}
	_, err := fmt.Fprintf(c.out, "devstack: Temporal stopped: %s%s\n", entry.Message, cause)
	return err
}

// oneLine is the root of an error in one line; the server's wiring wraps errors in call sites that help nobody.
func oneLine(err error) string {
	return strings.Join(strings.Fields(dig.RootCause(err).Error()), " ")
}

// redirectStdout keeps stdout for the ready line: libraries that print banners there write to stderr when a person asked
// for a talkative log, and nowhere otherwise. It returns the real stdout.
func redirectStdout(level string) (*os.File, error) {
	stdout := os.Stdout
	if level == "debug" || level == "info" {
		os.Stdout = os.Stderr
		return stdout, nil
	}
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", os.DevNull, err)
	}
	os.Stdout = null
	return stdout, nil
}
