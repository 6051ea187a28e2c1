package telemetry

import (
	"context"
	"fmt"
	"io"
	"log/slog"

	"go.temporal.io/sdk/log"
)

// Levels and formats of logs, as the configuration names them.
var levels = map[string]slog.Level{
	"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "error": slog.LevelError,
}

// NewLogger makes a logger that writes lines of a format, "json" or "text", from a level on: "debug", "info", "warn" or
// "error". Whatever is logged, values that look like secrets are not written.
func NewLogger(w io.Writer, format, level string) (*slog.Logger, error) {
	from, ok := levels[level]
	if !ok {
		return nil, fmt.Errorf("log level %q: use debug, info, warn or error", level)
	}
	options := &slog.HandlerOptions{Level: from, ReplaceAttr: redact}
	switch format {
	case "json":
		return slog.New(slog.NewJSONHandler(w, options)), nil
	case "text":
		return slog.New(slog.NewTextHandler(w, options)), nil
	}
	return nil, fmt.Errorf("log format %q: use json or text", format)
}

// TemporalLogger makes a logger for the Temporal SDK, and for the workflows and activities that it runs.
func TemporalLogger(logger *slog.Logger) log.Logger {
	return log.NewStructuredLogger(slog.New(quiet{logger.Handler()}))
}

// noise is what the SDK says at level info of every worker it starts. A process has a worker for every source, and so a
// start would be a screenful that nobody reads.
var noise = map[string]bool{
	"Started Worker":          true,
	"Stopped Worker":          true,
	"Starting session worker": true,
	"No metrics handler configured for temporal worker. Use NopHandler as default.": true,
	"No DataConverter configured for temporal worker. Use default one.":             true,
}

// quiet lowers noise to level debug.
type quiet struct{ slog.Handler }

// Handle passes the record on, at its own level or at debug.
func (q quiet) Handle(ctx context.Context, r slog.Record) error {
	if r.Level == slog.LevelInfo && noise[r.Message] {
		if !q.Enabled(ctx, slog.LevelDebug) {
			return nil
		}
		r.Level = slog.LevelDebug
	}
	return q.Handler.Handle(ctx, r)
}

// WithAttrs keeps the lowering in loggers that are made of this one.
func (q quiet) WithAttrs(attrs []slog.Attr) slog.Handler { return quiet{q.Handler.WithAttrs(attrs)} }

// WithGroup keeps the lowering in loggers that are made of this one.
func (q quiet) WithGroup(name string) slog.Handler { return quiet{q.Handler.WithGroup(name)} }
