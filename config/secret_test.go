package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// hunter is a secret; no message may ever hold it.
const hunter = "hunter2-sEcReT"

func mustSecret(t testing.TB, ref string) Secret {
	t.Helper()
	s, err := ParseSecret(ref)
	require.NoError(t, err)
	return s
}

func TestCheckReference(t *testing.T) {
	t.Parallel()
	for _, ref := range []string{"env:TOKEN", "env:_t0", "file:/run/secrets/token", "file:relative path.txt"} {
		require.NoError(t, CheckReference(ref), ref)
	}
	for _, ref := range []string{"", hunter, "env:", "env:" + hunter, "env:A B", "file:", "file:a\nb", "ENV:TOKEN", " env:TOKEN"} {
		err := CheckReference(ref)
		require.EqualError(t, err,
			"write a reference, not the secret itself: env:NAME for an environment variable, file:PATH for a file")
	}
}

func TestSecretResolve(t *testing.T) {
	t.Parallel()
	env := environment(map[string]string{"TOKEN": hunter, "EMPTY": ""})
	read := files(map[string]string{
		"/token": hunter + "\n", "/dos": hunter + "\r\n", "/two": hunter + "\n\n", "/bare": hunter, "/empty": "\n",
	})
	tests := map[string]struct{ want, fault string }{
		"env:TOKEN":  {want: hunter},
		"file:/dos":  {want: hunter},
		"file:/two":  {want: hunter + "\n"},
		"file:/bare": {want: hunter},
		"file:/token": {
			want: hunter,
		},
		"env:NONE":    {fault: "secret env:NONE: set the environment variable NONE; it is missing or empty"},
		"env:EMPTY":   {fault: "secret env:EMPTY: set the environment variable EMPTY; it is missing or empty"},
		"file:/empty": {fault: "secret file:/empty: put the secret into the file; it is empty"},
		"file:/none": {
			fault: "secret file:/none: make the file readable for this process: open /none: file does not exist",
		},
	}
	for ref, test := range tests {
		got, err := mustSecret(t, ref).Resolve(env, read)
		if test.fault != "" {
			require.EqualError(t, err, test.fault)
			continue
		}
		require.NoError(t, err, ref)
		require.Equal(t, test.want, got, ref)
	}
	_, err := mustSecret(t, "file:/none").Resolve(env, read)
	require.ErrorIs(t, err, fs.ErrNotExist)

	unset, err := Secret{}.Resolve(env, read)
	require.NoError(t, err)
	require.Empty(t, unset)
}

// TestSecretIsPrintedAsReference prints a secret, alone and inside of others, by every verb and encoder.
func TestSecretIsPrintedAsReference(t *testing.T) {
	t.Parallel()
	secret := mustSecret(t, "env:TOKEN")
	for _, verb := range "vsqdxXtTpUbcoeEfFgG" {
		for _, flag := range []string{"", "+", "#", "-20", " ", "0", ".3"} {
			text := fmt.Sprintf("%"+flag+string(verb), secret)
			if verb == 'T' || verb == 'p' {
				continue // these do not look at the value
			}
			require.Equal(t, "env:TOKEN", strings.Trim(text, `"`), "%%%s%c", flag, verb)
		}
	}
	require.Equal(t, `{AccessKey:env:TOKEN}`, fmt.Sprintf("%+v", struct{ AccessKey Secret }{secret}))
	require.Contains(t, fmt.Sprintf("%#v", S3{AccessKey: secret}), `AccessKey:"env:TOKEN"`)

	asJSON, err := json.Marshal(map[string]any{"key": secret, "pointer": &secret})
	require.NoError(t, err)
	require.JSONEq(t, `{"key":"env:TOKEN","pointer":"env:TOKEN"}`, string(asJSON))

	asYAML, err := yaml.Marshal(map[string]any{"key": secret})
	require.NoError(t, err)
	require.Equal(t, "key: env:TOKEN\n", string(asYAML))

	var log bytes.Buffer
	slog.New(slog.NewTextHandler(&log, nil)).Info("loaded", "key", secret, "s3", S3{AccessKey: secret})
	require.Contains(t, log.String(), "key=env:TOKEN")
}

func TestSecretReadsItsText(t *testing.T) {
	t.Parallel()
	var s struct{ Key, Other Secret }
	require.NoError(t, json.Unmarshal([]byte(`{"Key":"file:/k","Other":""}`), &s))
	require.Equal(t, "file:/k", s.Key.String())
	require.True(t, s.Other.IsZero())

	err := json.Unmarshal([]byte(`{"Key":"`+hunter+`"}`), &s)
	require.Error(t, err)
	require.NotContains(t, err.Error(), hunter)
}

// TestLiteralSecretsNeverReachMessages puts a secret wherever somebody may put one by mistake.
func TestLiteralSecretsNeverReachMessages(t *testing.T) {
	t.Parallel()
	source := func(request string) string {
		return strings.Replace(minimal, "    parse:", "    request: "+request+"\n    parse:", 1)
	}
	for _, text := range []string{
		"s3: {secret_key: " + hunter + "}",
		"s3: {access_key: [" + hunter + "]}",
		"temporal: {api_key: {value: " + hunter + "}}",
		"temporal: {api_key: env:" + hunter + "}",
		"temporal: {api_key: *" + hunter + "}",
		"temporal: {api_key: !!int " + hunter + "}",
		"temporal: " + hunter,
		hunter,
		"s3: {endpoint: 'https://user:" + hunter + "@s3.example'}",
		source("{headers: {authorization: " + hunter + "}}"),
		source("{headers: {COOKIE: " + hunter + "}}"),
		source("{headers: {x-api-key: " + hunter + "}}"),
		source("{secret_headers: {X-Any: " + hunter + "}}"),
		source("{secret_headers: {'bad name': " + hunter + "}}"),
		source("{secret_headers: " + hunter + "}"),
		source("{secret_headers: {X-Any: [" + hunter + "]}}"),
		source("{secret_headers: {X-Any: \"env:A\\n" + hunter + "\"}}"),
		source("{secret_query: {any: " + hunter + "}}"),
		source("{secret_query: {any: [" + hunter + "]}}"),
		source("{secret_query: " + hunter + "}"),
		source("{url: 'https://shop.example/?api_key=" + hunter + "'}"),
		source("{url: 'https://shop.example:x/{?token=" + hunter + "'}"),
		source("{secret_query: {any: env:A}, secret_origins: ['http://user:" + hunter + "@shop.example']}"),
		source("{headers: {Private-Token: " + hunter + "}}"),
		source("{url: 'https://user:" + hunter + "@shop.example/'}"),
		strings.Replace(minimal, "shop.example", "user:"+hunter+"@shop.example", 1),
	} {
		_, err := loadText(text)
		require.Error(t, err, text)
		for _, verb := range []string{"%v", "%+v", "%#v", "%q"} {
			require.NotContains(t, fmt.Sprintf(verb, err), hunter, text)
		}
		var invalid *InvalidError
		require.True(t, errors.As(err, &invalid))
		require.NotContains(t, fmt.Sprintf("%#v", invalid.Problems), hunter, text)
	}
	_, err := Load(Options{Env: environment(map[string]string{"WEIR_S3_SECRET_KEY": hunter})})
	requireProblems(t, err,
		"s3.secret_key (WEIR_S3_SECRET_KEY): write a reference, not the secret itself: env:NAME for an environment variable, file:PATH for a file")
}
