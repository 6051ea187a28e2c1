package cli

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/internal/doctor"
)

// counted is a site that counts how many requests it works on at a time.
type counted struct {
	mu                      sync.Mutex
	inFlight, most, private int
}

func (c *counted) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/robots.txt" {
		fmt.Fprint(w, "User-agent: *\nDisallow: /private\n")
		return
	}
	c.mu.Lock()
	c.inFlight++
	c.most = max(c.most, c.inFlight)
	if strings.HasPrefix(r.URL.Path, "/private") {
		c.private++
	}
	c.mu.Unlock()
	time.Sleep(200 * time.Millisecond)
	c.mu.Lock()
	c.inFlight--
	c.mu.Unlock()
}

// TestProbeAndDoctorOfTheStack runs both beside a worker, as a person would: the ceiling holds at the site itself, and nothing
// fails that the doctor looks at.
func TestProbeAndDoctorOfTheStack(t *testing.T) {
	s := newSystem(t)
	background(t, s.world, "working", "worker")
	site := &counted{}
	server := httptest.NewServer(site)
	defer server.Close()
	s.world.Signals = nil

	require.Eventually(t, func() bool { return in(s.world, realEdges(), "sources").code == 0 }, time.Minute, 200*time.Millisecond)
	targets := filepath.Join(s.world.Dir, "targets.csv")
	require.NoError(t, os.WriteFile(targets, []byte("url\n"+server.URL+"/1\n"+server.URL+"/2\n"+server.URL+"/private/3\n"), 0o600))
	got := in(s.world, realEdges(), "probe", "shop", "--urls", targets, "--max", "9", "--step-time", "6s", "--output", "json")
	require.Zero(t, got.code, got.stderr)
	var answer probeAnswer
	require.NoError(t, json.Unmarshal([]byte(got.stdout), &answer))
	require.Len(t, answer.Steps, 2, "the ceiling is two")
	require.Positive(t, answer.Advice.Ceiling)
	require.Equal(t, 2, site.most, "the site itself has seen no more")
	require.Zero(t, site.private, "robots.txt is obeyed")
	require.Contains(t, got.stderr, "the ceiling in force is 2")
	require.Contains(t, got.stderr, "left out 1 target")

	// On a busy machine a check may take longer than people wait for it.
	patient := realEdges()
	patient.checkTime = 5 * time.Minute
	got = in(s.world, patient, "doctor", "--output", "json")
	var found []doctor.Finding
	require.NoError(t, json.Unmarshal([]byte(got.stdout), &found), got.stderr)
	for _, f := range found {
		require.NotEqual(t, doctor.Fail, f.Level, "%+v", f)
		require.NotEqual(t, doctor.Skipped, f.Level, "%+v", f)
	}
	require.Zero(t, got.code)
}
