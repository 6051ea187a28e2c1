package telemetry

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/log"
	"pgregory.net/rapid"
)

// lines decodes what a JSON logger wrote.
func lines(t *testing.T, out *bytes.Buffer) []map[string]any {
	t.Helper()
	var all []map[string]any
	for line := range strings.Lines(out.String()) {
		var m map[string]any
		require.NoError(t, json.Unmarshal([]byte(line), &m), line)
		all = append(all, m)
	}
	return all
}

func jsonLogger(t *testing.T, level string) (*slog.Logger, *bytes.Buffer) {
	t.Helper()
	var out bytes.Buffer
	logger, err := NewLogger(&out, "json", level)
	require.NoError(t, err)
	return logger, &out
}

func TestLevels(t *testing.T) {
	t.Parallel()
	for level, want := range map[string]int{"debug": 4, "info": 3, "warn": 2, "error": 1} {
		logger, out := jsonLogger(t, level)
		logger.Debug("d")
		logger.Info("i")
		logger.Warn("w")
		logger.Error("e")
		require.Len(t, lines(t, out), want, level)
	}
}

func TestFormats(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	logger, err := NewLogger(&out, "text", "info")
	require.NoError(t, err)
	logger.Info("hello", "records", 3, "password", "hush")
	require.Contains(t, out.String(), "msg=hello records=3 password=[redacted]")

	_, err = NewLogger(&out, "xml", "info")
	require.EqualError(t, err, `log format "xml": use json or text`)
	_, err = NewLogger(&out, "json", "loud")
	require.EqualError(t, err, `log level "loud": use debug, info, warn or error`)
}

func TestSecretsAreNotWritten(t *testing.T) {
	t.Parallel()
	signed := "https://s3.example.com/weir/a?X-Amz-Credential=weir%2F20250101&X-Amz-Signature=hush&X-Amz-Expires=60"
	proxy, err := url.Parse("http://customer-7:hush@proxy.example.com:8080/")
	require.NoError(t, err)
	var none *url.URL
	type request struct {
		URL     string            `json:"url"`
		Headers map[string]string `json:"headers"`
	}
	for name, c := range map[string]struct {
		value any
		want  any
	}{
		"authorization":    {"Bearer hush", redacted},
		"Set-Cookie":       {"sid=hush", redacted},
		"proxy_password":   {"hush", redacted},
		"secret_key":       {"hush", redacted},
		"X-Amz-Signature":  {"hush", redacted},
		"api key":          {[]string{"hush"}, redacted},
		"session.token":    {slog.GroupValue(slog.String("v", "hush")), map[string]any{"v": redacted}},
		"tokens":           {5, 5.0},
		"has_password":     {true, true},
		"plain":            {"nothing to hide", "nothing to hide"},
		"signed url":       {signed, "https://s3.example.com/weir/a?X-Amz-Credential=[redacted]&X-Amz-Signature=[redacted]&X-Amz-Expires=60"},
		"nested url":       {url.QueryEscape("X-Amz-Signature=hush"), "X-Amz-Signature%3D[redacted]"},
		"egress":           {"via http://customer-7:hush@proxy.example.com:8080", "via http://customer-7:[redacted]@proxy.example.com:8080"},
		"egress url":       {proxy, "http://customer-7:[redacted]@proxy.example.com:8080/"},
		"no egress":        {none, nil},
		"header line":      {"sent Basic aHVzaDpodXNo to it", "sent Basic [redacted] to it"},
		"error":            {fmt.Errorf("get %s: %w", signed, errors.New("gone")), nil},
		"headers":          {http.Header{"Authorization": {"hush"}, "Accept": {"*/*"}}, map[string]any{"Authorization": redacted, "Accept": []any{"*/*"}}},
		"structure":        {request{URL: signed, Headers: map[string]string{"Cookie": "hush"}}, nil},
		"clean structure":  {request{URL: "https://example.com/"}, map[string]any{"url": "https://example.com/", "headers": nil}},
		"list":             {[]string{"a", "b"}, []any{"a", "b"}},
		"not json":         {make(chan int), nil},
		"duration":         {time.Second, 1e9},
		"access_key_count": {2, 2.0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			logger, out := jsonLogger(t, "info")
			logger.Info("x", name, c.value)
			require.NotContains(t, out.String(), "hush")
			got := lines(t, out)[0]
			require.Contains(t, got, name)
			if c.want != nil {
				require.Equal(t, c.want, got[name])
			}
		})
	}
}

func TestSecretsInMessagesGroupsAndBoundAttributes(t *testing.T) {
	t.Parallel()
	logger, out := jsonLogger(t, "info")
	logger.With("cookie", "hush").WithGroup("request").Info("to http://u:hush@p.example.com", "Authorization", "hush", "path", "/a")
	logger.WithGroup("secrets").Info("x", "s3", "hush")
	logger.Info("x", slog.Group("headers", slog.String("X-Api-Key", "hush")))
	require.NotContains(t, out.String(), "hush")
	all := lines(t, out)
	require.Equal(t, "to http://u:[redacted]@p.example.com", all[0]["msg"])
	require.Equal(t, "/a", all[0]["request"].(map[string]any)["path"])
}

// Whatever surrounds it, the signature of a signed URL does not get through, and the rest does.
func TestScrubKeepsTheRest(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		before := rapid.StringMatching(`[a-z /?&=%.]{0,30}`).Draw(t, "before")
		after := rapid.StringMatching(`(& |" |&X=)[a-z /?&=%.]{0,30}`).Draw(t, "after")
		got := scrub(before + "X-Amz-Signature=0123456789abcdef" + after)
		if want := before + "X-Amz-Signature=" + redacted + after; got != want {
			t.Fatalf("got %q, want %q", got, want)
		}
	})
}

func FuzzScrub(f *testing.F) {
	f.Add("https://u:p@h/?X-Amz-Signature=abc&x=1")
	f.Add("Bearer abcdefghijkl")
	f.Fuzz(func(t *testing.T, text string) {
		once := scrub(text)
		if twice := scrub(once); twice != once {
			t.Fatalf("scrubbing again changes %q to %q", once, twice)
		}
	})
}

func TestTemporalLoggerLowersNoise(t *testing.T) {
	t.Parallel()
	logger, out := jsonLogger(t, "info")
	l := TemporalLogger(logger)
	l.Info("Started Worker")
	log.With(l, "TaskQueue", "parse").Info("Stopped Worker")
	l.Info("record ended", "Started Worker", "as a key")
	l.Warn("Started Worker")
	all := lines(t, out)
	require.Len(t, all, 2)
	require.Equal(t, []any{"record ended", "WARN"}, []any{all[0]["msg"], all[1]["level"]})

	logger, out = jsonLogger(t, "debug")
	TemporalLogger(logger.WithGroup("sdk")).Info("Started Worker", "TaskQueue", "parse")
	require.Equal(t, "DEBUG", lines(t, out)[0]["level"])
	require.Equal(t, map[string]any{"TaskQueue": "parse"}, lines(t, out)[0]["sdk"])
}
