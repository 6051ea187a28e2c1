package main

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/server/common/log/tag"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

func TestLogLevels(t *testing.T) {
	var out bytes.Buffer
	l := newServerLog(&out, "warn")
	l.Warn("a port is not set, as intended")
	require.Empty(t, out.String())
	l.Error("cannot bind")
	require.Contains(t, out.String(), "cannot bind")
	out.Reset()
	l.settled()
	l.Info("too small to mention")
	require.Empty(t, out.String())
	l.Warn("mind this")
	require.Contains(t, out.String(), "mind this")
	out.Reset()
	l.stopping()
	l.Error("a service is gone, of course")
	require.Empty(t, out.String())

	talkative := newServerLog(&out, "info")
	talkative.stopping()
	talkative.Info("still told")
	require.Contains(t, out.String(), "still told")
}

func TestFatalIsOneLine(t *testing.T) {
	var out bytes.Buffer
	core := fatalCore{zapcore.AddSync(&out)}
	entry := zapcore.Entry{Level: zap.FatalLevel, Message: "cannot bind", Stack: "goroutine 1"}
	require.NoError(t, core.With([]zapcore.Field{zap.String("service", "frontend")}).
		Write(entry, []zapcore.Field{zap.Int("port", 1), tag.Error(errors.New("address\nin use")).Field()}))
	require.Equal(t, "devstack: Temporal stopped: cannot bind: address in use\n", out.String())
	require.NotNil(t, core.Check(entry, nil))
	require.Nil(t, core.Check(zapcore.Entry{Level: zap.ErrorLevel}, nil), "only fatal entries")
}

func TestOneLine(t *testing.T) {
	require.Equal(t, "outer: two lines", oneLine(fmt.Errorf("outer: %w", errors.New("two\n\tlines"))))
}
