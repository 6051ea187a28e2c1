package stack

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestArgs(t *testing.T) {
	t.Parallel()
	always := []string{"--exit-with-parent", "--data", "d", "--temporal-port", "0", "--web-port", "0", "--s3-port", "0"}
	for name, c := range map[string]struct {
		options Options
		want    []string
	}{
		"least":     {Options{Data: "d"}, always},
		"no web":    {Options{Data: "d", NoWeb: true}, append(always[:9:9], "--no-web")},
		"retention": {Options{Data: "d", Retention: 90 * time.Minute}, append(always[:9:9], "--retention", "1h30m0s")},
		"names": {
			Options{Data: "d", Namespace: "n", Bucket: "b", LogLevel: "info"},
			append(always[:9:9], "--namespace", "n", "--bucket", "b", "--log-level", "info"),
		},
		"ports": {
			Options{Data: "d", TemporalPort: 7233, WebPort: 8233, S3Port: 9000},
			[]string{"--exit-with-parent", "--data", "d", "--temporal-port", "7233", "--web-port", "8233", "--s3-port", "9000"},
		},
		"keys stay off": {Options{Data: "d", AccessKey: "a", SecretKey: "s"}, always},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, c.options.args())
		})
	}
}

func TestKeysTravelInTheEnvironment(t *testing.T) {
	t.Parallel()
	env := Options{AccessKey: "key", SecretKey: "hush"}.env()
	require.Contains(t, env, "WEIR_DEVSTACK_ACCESS_KEY=key")
	require.Contains(t, env, "WEIR_DEVSTACK_SECRET_KEY=hush")
}

func TestPortOf(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]int{
		"127.0.0.1:7233":         7233,
		"http://127.0.0.1:9000":  9000,
		"http://127.0.0.1:8233/": 8233,
		"[::1]:7233":             7233,
	} {
		got, err := portOf(address)
		require.NoError(t, err, address)
		require.Equal(t, want, got, address)
	}
	for _, address := range []string{"", "nowhere", "http://127.0.0.1", "127.0.0.1:http"} {
		_, err := portOf(address)
		require.Error(t, err, address)
	}
}

func TestParseReady(t *testing.T) {
	t.Parallel()
	got, err := parseReady(`{"ready":true,"temporal":"127.0.0.1:7233","web":"http://127.0.0.1:8233","s3":"http://127.0.0.1:9000",` +
		`"namespace":"default","bucket":"weir","region":"us-east-1","data":"/d","pid":7,"added later":1}`)
	require.NoError(t, err)
	require.Equal(t, readyLine{
		Ready: true, Temporal: "127.0.0.1:7233", Web: "http://127.0.0.1:8233", S3: "http://127.0.0.1:9000",
		Namespace: "default", Bucket: "weir", Region: "us-east-1", Data: "/d", PID: 7,
	}, got)
	for _, line := range []string{
		"", "hello", "{", "[]", "{}", `{"ready":false,"temporal":"a:1","s3":"http://a:2"}`,
		`{"ready":true,"s3":"http://a:2"}`, `{"ready":true,"temporal":"a:1"}`,
	} {
		_, err := parseReady(line)
		require.ErrorContains(t, err, "no ready line", line)
	}
}

func TestFailureOfAChildThatEndsInSilence(t *testing.T) {
	t.Parallel()
	c := &child{ended: make(chan struct{})}
	require.NoError(t, c.failure(), "it runs")
	close(c.ended)
	require.EqualError(t, c.failure(), "the embedded stack ended by itself (exit status 0)")
	c.exit = errors.New("signal: killed")
	_, _ = c.said.Write([]byte("out of memory\n"))
	require.EqualError(t, c.failure(), "the embedded stack ended by itself (signal: killed): out of memory")
	c.wanted.Store(true)
	require.NoError(t, c.failure(), "we ended it")
}
