package connect

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestSystemSecrets(t *testing.T) {
	t.Setenv("WEIR_TEST_SECRET", "from the environment")
	file := filepath.Join(t.TempDir(), "key")
	require.NoError(t, os.WriteFile(file, []byte("from a file\n"), 0o600))
	s := SystemSecrets()
	value, err := s.Value("env:WEIR_TEST_SECRET")
	require.NoError(t, err)
	require.Equal(t, "from the environment", value)
	value, err = s.Value("file:" + file)
	require.NoError(t, err)
	require.Equal(t, "from a file", value)
}

// TestSecretFilesStandBesideTheConfiguration reads a relative name in the configuration's folder, and an absolute one
// where it says.
func TestSecretFilesStandBesideTheConfiguration(t *testing.T) {
	t.Parallel()
	cfg := load(t)
	var asked []string
	s := Secrets{ReadFile: func(name string) ([]byte, error) {
		asked = append(asked, name)
		return []byte("x"), nil
	}}.In(cfg)
	elsewhere := filepath.Join(t.TempDir(), "key")
	for _, reference := range []string{"file:keys/s3", "file:" + elsewhere} {
		_, err := s.Value(reference)
		require.NoError(t, err)
	}
	require.Equal(t, []string{cfg.Path("keys/s3"), elsewhere}, asked)
	require.True(t, filepath.IsAbs(cfg.Path("keys/s3")))
}

func TestSecretErrorsNameTheReferenceAlone(t *testing.T) {
	t.Parallel()
	s := secretsOf(nil)
	_, err := s.Value("hunter2-in-the-clear")
	require.Error(t, err)
	require.NotContains(t, err.Error(), "hunter2")
	_, err = s.Value("env:NOT_SET")
	require.ErrorContains(t, err, "env:NOT_SET")
	_, err = s.Value("file:no/such/file")
	require.ErrorContains(t, err, "file:no/such/file")
	require.ErrorIs(t, err, os.ErrNotExist)
}

// vault is a secret that changes, and a place that fails.
type vault struct {
	value string
	err   error
	reads int
}

func (v *vault) secrets() Secrets {
	return Secrets{ReadFile: func(string) ([]byte, error) {
		v.reads++
		return []byte(v.value), v.err
	}}
}

func TestCachedSecretsTakeUpARotatedOne(t *testing.T) {
	t.Parallel()
	v := &vault{value: "first"}
	now := time.Unix(0, 0)
	c := NewCachedSecrets(v.secrets(), func() time.Time { return now }, slog.New(slog.DiscardHandler))
	for range 3 {
		value, err := c.Value("file:key")
		require.NoError(t, err)
		require.Equal(t, "first", value)
	}
	require.Equal(t, 1, v.reads)

	v.value = "second"
	now = now.Add(secretAge - 1)
	value, err := c.Value("file:key")
	require.NoError(t, err)
	require.Equal(t, "first", value)
	now = now.Add(1)
	value, err = c.Value("file:key")
	require.NoError(t, err)
	require.Equal(t, "second", value)
	_, err = c.Value("file:other")
	require.NoError(t, err)
	require.Equal(t, 3, v.reads, "each reference is read by itself")
}

// TestCachedSecretsOutliveABlip goes on with the last value, says so, and shows the value to nobody.
func TestCachedSecretsOutliveABlip(t *testing.T) {
	t.Parallel()
	v := &vault{value: "hunter2"}
	now := time.Unix(0, 0)
	var log bytes.Buffer
	c := NewCachedSecrets(v.secrets(), func() time.Time { return now }, slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})))
	_, err := c.Value("file:key")
	require.NoError(t, err)
	require.Empty(t, log.String())

	v.err = errors.New("the vault is sealed")
	for range 3 {
		now = now.Add(secretAge)
		value, err := c.Value("file:key")
		require.NoError(t, err)
		require.Equal(t, "hunter2", value)
	}
	require.Contains(t, log.String(), "file:key")
	require.Contains(t, log.String(), "the vault is sealed")
	require.NotContains(t, log.String(), "hunter2")
	reads := v.reads
	_, err = c.Value("file:key")
	require.NoError(t, err)
	require.Equal(t, reads, v.reads, "a place that fails is not asked for every request")

	v.err, v.value = nil, "third"
	now = now.Add(secretAge)
	value, err := c.Value("file:key")
	require.NoError(t, err)
	require.Equal(t, "third", value)
}

// TestCachedSecretsThatAreDoubted: a key that a target turns away is read again at once, but not for every request that is turned
// away.
func TestCachedSecretsThatAreDoubted(t *testing.T) {
	t.Parallel()
	v := &vault{value: "first"}
	now := time.Unix(0, 0)
	c := NewCachedSecrets(v.secrets(), func() time.Time { return now }, slog.New(slog.DiscardHandler))
	read := func(want string, reads int) {
		t.Helper()
		value, err := c.Value("file:key")
		require.NoError(t, err)
		require.Equal(t, want, value)
		require.Equal(t, reads, v.reads)
	}
	c.Doubt("file:key")
	read("first", 1)
	v.value = "second"
	now = now.Add(doubtAge - 1)
	c.Doubt("file:key")
	read("first", 1)
	now = now.Add(1)
	c.Doubt("file:other")
	read("first", 1)
	c.Doubt("file:key")
	c.Doubt("file:key")
	read("second", 2)
	c.Doubt("file:key")
	read("second", 2)

	v.err = errors.New("the vault is sealed")
	now = now.Add(doubtAge)
	c.Doubt("file:key")
	read("second", 3)
	read("second", 3)
}

func TestCachedSecretsNeedAFirstValue(t *testing.T) {
	t.Parallel()
	v := &vault{err: errors.New("the vault is sealed")}
	c := NewCachedSecrets(v.secrets(), time.Now, slog.New(slog.DiscardHandler))
	_, err := c.Value("file:key")
	require.ErrorContains(t, err, "the vault is sealed")
	v.err, v.value = nil, "first"
	value, err := c.Value("file:key")
	require.NoError(t, err, "a failure is not kept")
	require.Equal(t, "first", value)
}

func TestCachedSecretsAreSafeToShare(t *testing.T) {
	t.Parallel()
	c := NewCachedSecrets(secretsOf(map[string]string{"KEY": "x"}), time.Now, slog.New(slog.DiscardHandler))
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			value, err := c.Value("env:KEY")
			if err != nil || value != "x" {
				t.Errorf("got %q, %v", value, err)
			}
		})
	}
	all.Wait()
}

// TestKeysOfWeirsOwnSidesAreReadAgain: what signs for the bucket and what Temporal is shown follow a file that changes.
func TestKeysOfWeirsOwnSidesAreReadAgain(t *testing.T) {
	t.Parallel()
	v := &vault{value: "first"}
	now := time.Unix(0, 0)
	cached := NewCachedSecrets(v.secrets(), func() time.Time { return now }, slog.New(slog.DiscardHandler))
	cfg := load(t, "temporal: {api_key: 'file:key'}", "s3: {access_key: 'file:a', secret_key: 'file:b'}")
	keys := bucketKeys(cfg, cached)
	for _, want := range []string{"first", "second"} {
		v.value, now = want, now.Add(secretAge)
		access, secret, err := keys()
		require.NoError(t, err)
		require.Equal(t, [2]string{want, want}, [2]string{access, secret})
		value, err := cached.of("temporal.api_key", cfg.Temporal.APIKey)
		require.NoError(t, err)
		require.Equal(t, want, value)
	}
	_, err := apiKey(cfg.Temporal.APIKey, NewCachedSecrets((&vault{err: errors.New("sealed")}).secrets(), time.Now, slog.New(slog.DiscardHandler)))
	require.ErrorContains(t, err, "temporal.api_key")
}
