package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/starter"
)

var shippedProof = collection.ShipResult{
	Destination: "https://s3.customer.example/in/weir/s1/", Files: 3, Objects: 1200, Bytes: 2 << 20, ManifestSHA256: "abc", VerifiedAt: noon,
}

func TestRedeliver(t *testing.T) {
	t.Parallel()
	settled := &collection.SubmissionResult{State: collection.StateComplete}
	for name, c := range map[string]struct {
		args   []string
		result collection.RedeliverResult
		asked  string
		says   []string
		never  string
	}{
		"shipped": {[]string{"s1"}, collection.RedeliverResult{Shipped: shippedProof}, "redeliver s1",
			[]string{"3 files and 1,200 records' own objects", "2026-01-02 12:00:00 UTC", shippedProof.Destination, "abc"}, "lost"},
		"elsewhere": {[]string{"s1", "--to", "acme-new"}, collection.RedeliverResult{Shipped: shippedProof}, "redeliver s1 acme-new",
			[]string{"Delivered"}, "lost"},
		"made again": {[]string{"s1"}, collection.RedeliverResult{Shipped: shippedProof, Settled: settled}, "redeliver s1",
			[]string{"made again: complete", "Delivered"}, "is whole"},
		"one file": {[]string{"s1"}, collection.RedeliverResult{Shipped: collection.ShipResult{Files: 1, VerifiedAt: noon}}, "redeliver s1",
			[]string{"is whole: 1 file, "}, "files,"},
		"checked": {[]string{"s1"}, collection.RedeliverResult{Shipped: collection.ShipResult{Files: 2, VerifiedAt: noon}}, "redeliver s1",
			[]string{"in weir's bucket is whole: 2 files"}, "Delivered"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client := &fakeClient{redelivered: c.result}
			got := ask(t, client, append([]string{"redeliver"}, c.args...)...)
			require.Equal(t, ExitOK, got.code, got.stderr)
			require.Equal(t, []string{c.asked}, client.asked)
			for _, s := range c.says {
				require.Contains(t, got.stdout, s)
			}
			require.NotContains(t, got.stdout, c.never)
		})
	}
}

func TestRedeliverJSON(t *testing.T) {
	t.Parallel()
	want := collection.RedeliverResult{Shipped: shippedProof}
	got := ask(t, &fakeClient{redelivered: want}, "redeliver", "s1", "--output", "json")
	require.Equal(t, ExitOK, got.code, got.stderr)
	var have collection.RedeliverResult
	require.NoError(t, json.Unmarshal([]byte(got.stdout), &have))
	require.Equal(t, want, have)
}

func TestRedeliverRefusals(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		args []string
		err  error
		code int
		says string
	}{
		"no id":          {nil, nil, ExitUsage, "ID"},
		"a bad id":       {[]string{"../x"}, nil, ExitUsage, "submission id"},
		"a bad customer": {[]string{"s1", "--to", "A B"}, nil, ExitUsage, "--to"},
		"not there":      {[]string{"s1"}, starter.ErrNotFound, ExitNotFound, "not found"},
		"it runs":        {[]string{"s1"}, fmt.Errorf("wait for its end: %w", starter.ErrNotSettled), ExitNotFound, "weir: wait for its end\n"},
		"refused":        {[]string{"s1"}, errors.New("has no bucket inbox: create it"), ExitFailure, "create it"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := ask(t, &fakeClient{err: c.err}, append([]string{"redeliver"}, c.args...)...)
			require.Equal(t, c.code, got.code)
			require.Contains(t, got.stderr, c.says)
			require.Empty(t, got.stdout)
		})
	}
}

// TestRedeliverRefusedHere: what the configuration at hand forbids is not started, so that nobody waits for it.
func TestRedeliverRefusedHere(t *testing.T) {
	t.Parallel()
	const destinations = `
customers:
  - name: acme
  - {name: open, takes_for: [acme], destination: {bucket: inbox, region: eu-1}}
  - {name: closed, destination: {bucket: inbox-2, region: eu-1}}
`
	for name, c := range map[string]struct {
		to, says  string
		statusErr error
		starts    bool
	}{
		"takes it":              {to: "open", starts: true},
		"takes nothing of it":   {to: "closed", says: "the destination of customer closed takes nothing of customer acme: list it in takes_for"},
		"has none":              {to: "acme", says: "customer acme has no destination in the configuration: give it one"},
		"not known here":        {to: "elsewhere", starts: true},
		"whose it is not known": {to: "closed", statusErr: errors.New("no answer"), starts: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := testWorld(t)
			require.NoError(t, os.WriteFile(filepath.Join(w.Dir, "weir.yaml"), []byte(destinations), 0o600))
			client := &fakeClient{status: settled(collection.StateComplete), statusErr: c.statusErr, redelivered: collection.RedeliverResult{Shipped: shippedProof}}
			got := in(w, (&fakes{client: client}).edges(), "redeliver", "s1", "--to", c.to)
			require.Equal(t, c.starts, slices.Contains(client.asked, "redeliver s1 "+c.to))
			if c.starts {
				require.Equal(t, ExitOK, got.code, got.stderr)
				return
			}
			require.Equal(t, ExitUsage, got.code)
			require.Contains(t, got.stderr, c.says)
		})
	}
}
