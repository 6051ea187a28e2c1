package main

import (
	"bytes"
	"flag"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func noEnv(string) string { return "" }

func TestDefaults(t *testing.T) {
	o, err := parseOptions(nil, noEnv, nil)
	require.NoError(t, err)
	data, err := filepath.Abs(".weir")
	require.NoError(t, err)
	require.Equal(t, options{
		dataDir: data, temporalPort: 7233, webPort: 8233, s3Port: 9000, namespace: "default", retention: 24 * time.Hour,
		bucket: "weir", accessKey: "weir", secretKey: "weir-secret", logLevel: "warn",
	}, o)
}

func TestKeysComeFromFlagsBeforeEnvironment(t *testing.T) {
	env := func(name string) string {
		return map[string]string{envAccessKey: "env-id", envSecretKey: "env-secret"}[name]
	}
	o, err := parseOptions([]string{"--access-key", "flag-id"}, env, nil)
	require.NoError(t, err)
	require.Equal(t, "flag-id", o.accessKey)
	require.Equal(t, "env-secret", o.secretKey)
}

func TestInvalidFlags(t *testing.T) {
	cases := map[string]struct {
		args []string
		want []string
	}{
		"port":            {[]string{"--s3-port", "70000"}, []string{"--s3-port", "70000"}},
		"not a number":    {[]string{"--web-port", "x"}, []string{"web-port", "--help"}},
		"retention":       {[]string{"--retention", "10ms"}, []string{"--retention", "1s"}},
		"bucket":          {[]string{"--bucket", "My_Bucket"}, []string{"--bucket", "My_Bucket"}},
		"level":           {[]string{"--log-level", "loud"}, []string{"--log-level", "loud", "debug"}},
		"system":          {[]string{"--namespace", "temporal-system"}, []string{"--namespace"}},
		"empty folder":    {[]string{"--data", ""}, []string{"--data"}},
		"empty key":       {[]string{"--access-key", ""}, []string{"--access-key"}},
		"argument":        {[]string{"start"}, []string{`"start"`, "--help"}},
		"unknown":         {[]string{"--verbose"}, []string{"verbose", "--help"}},
		"several at once": {[]string{"--bucket", "", "--temporal-port", "-1"}, []string{"--bucket", "--temporal-port"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := parseOptions(c.args, noEnv, nil)
			require.Error(t, err)
			for _, part := range c.want {
				require.ErrorContains(t, err, part)
			}
		})
	}
}

func TestHelpNamesEveryFlag(t *testing.T) {
	var help bytes.Buffer
	_, err := parseOptions([]string{"--help"}, noEnv, &help)
	require.ErrorIs(t, err, flag.ErrHelp)
	for _, name := range []string{
		"data", "temporal-port", "web-port", "s3-port", "namespace", "retention", "bucket", "access-key", "secret-key",
		"log-level", "no-web", "exit-with-parent", envAccessKey, envSecretKey,
	} {
		require.Contains(t, help.String(), name)
	}
}
