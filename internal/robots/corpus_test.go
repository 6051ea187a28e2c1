package robots_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/internal/robots"
)

const corpus = "../../../shared/corpora/robots"

func read(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(corpus, filepath.FromSlash(name)))
	if errors.Is(err, os.ErrNotExist) {
		t.Skipf("the corpus robots/%s is not beside this module", name)
	}
	require.NoError(t, err)
	return data
}

type vector struct {
	Test    string `json:"test"`
	Section string `json:"section"`
	What    string `json:"what"`
	Robots  string `json:"robots"`
	Agent   string `json:"agent"`
	URL     string `json:"url"`
	Allowed bool   `json:"allowed"`
	Strict  bool   `json:"strict_rfc9309"`
}

// TestGoogle plays every expectation of Google's parser. Where we answer otherwise, the RFC must be on our side, and the
// difference must stand in the table of deviations.
func TestGoogle(t *testing.T) {
	t.Parallel()
	var vectors []vector
	require.NoError(t, json.Unmarshal(read(t, "google/robots_test.json"), &vectors))
	strict, same, differ := 0, 0, map[string]int{}
	for _, v := range vectors {
		got := robots.Parse([]byte(v.Robots)).Match(v.Agent, v.URL)
		if v.Allowed == v.Strict {
			strict++
		}
		if got.Allowed == v.Allowed {
			same++
			continue
		}
		require.Equal(t, v.Strict, got.Allowed, "%s: agent %q, %q: %+v\n%s", v.Test, v.Agent, v.URL, got, v.Robots)
		differ[v.Test]++
	}
	listed := map[string]int{}
	for _, d := range deviations {
		if d.vectors > 0 {
			listed[d.test] += d.vectors
		}
	}
	require.Equal(t, listed, differ)
	t.Logf("figure: %d of %d answers are Google's, among them all %d on which Google and the RFC agree", same, len(vectors), strict)
}

func TestRFC9309(t *testing.T) {
	t.Parallel()
	var cases struct {
		Match  []vector `json:"match"`
		Access []struct {
			Section string `json:"section"`
			Fact    string `json:"fact"`
			Status  int    `json:"status"`
			Error   string `json:"error"`
			Verdict string `json:"verdict"`
			MaxAge  int    `json:"max_age_s"`
			Bytes   int    `json:"min_bytes"`
		} `json:"access"`
	}
	require.NoError(t, json.Unmarshal(read(t, "rfc9309/rfc9309_cases.json"), &cases))
	for _, v := range cases.Match {
		got := robots.Parse([]byte(v.Robots)).Match(v.Agent, v.URL)
		require.Equal(t, v.Allowed, got.Allowed, "section %s, %s: agent %q, %q: %+v\n%s", v.Section, v.What, v.Agent, v.URL, got, v.Robots)
	}
	played := 0
	for _, a := range cases.Access {
		played++
		verdict := robots.From(a.Status, []byte("User-agent: *\nDisallow: /\n"))
		if a.Error != "" {
			verdict = robots.Unreachable()
		}
		allowed := verdict.For("a").Match("https://example.com/x").Allowed
		switch {
		case a.Verdict == "allow-all":
			require.True(t, allowed, "%+v", a)
		case a.Verdict == "disallow-all", a.Status == 429:
			require.False(t, allowed, "%+v", a)
			require.Equal(t, robots.Unread, verdict.Outcome)
		case a.MaxAge > 0:
			require.LessOrEqual(t, robots.MaxTTL, time.Duration(a.MaxAge)*time.Second)
		case a.Bytes > 0:
			require.GreaterOrEqual(t, robots.MaxBytes, a.Bytes)
		default:
			played-- // redirects, whose file binds which origin, and for how long: tests of the guard and of those who fetch
		}
	}
	t.Logf("figure: %d of %d matches, %d of %d access rules (the others elsewhere)", len(cases.Match), len(cases.Match), played, len(cases.Access))
}

func TestGoogleFacts(t *testing.T) {
	t.Parallel()
	var facts struct {
		Tokens []struct {
			Agent string `json:"agent"`
			Valid bool   `json:"valid"`
		} `json:"valid_product_token"`
		Paths []struct {
			URL  string `json:"url"`
			Path string `json:"path"`
		} `json:"path_params_query"`
		Files []struct {
			Name   string `json:"name"`
			Base64 string `json:"robots_b64"`
			Valid  int    `json:"valid_directives"`
			Last   int    `json:"last_line_seen"`
		} `json:"directive_counts"`
	}
	require.NoError(t, json.Unmarshal(read(t, "google/robots_parse_facts.json"), &facts))
	for _, f := range facts.Tokens {
		token, err := robots.Token(f.Agent)
		require.Equal(t, f.Valid, err == nil && token == f.Agent, "%q", f.Agent)
	}
	for _, f := range facts.Paths {
		exactly := "User-agent: *\nDisallow: /\nAllow: " + f.Path + "$\n"
		d := robots.Parse([]byte(exactly)).Match("a", f.URL)
		require.True(t, d.Allowed, "%q: %+v", f.URL, d)
	}
	for _, f := range facts.Files {
		body, err := base64.StdEncoding.DecodeString(f.Base64)
		require.NoError(t, err)
		file := robots.Parse(body)
		if f.Last > 0 {
			require.Equal(t, f.Last, file.Match("bar", "/x").Line, f.Name)
			require.Equal(t, 2, file.Match("foo", "/some/path").Line, f.Name)
			continue
		}
		// Both lines are needed for the rule to be foo's; a broken mark spoils the one that it stands before.
		require.Equal(t, f.Valid == 2, file.Match("foo", "/AnyValue").Line == 2, f.Name)
	}
}

// TestRealWorld: whatever people have put online is read, and every line that decides can be found again in the file.
func TestRealWorld(t *testing.T) {
	t.Parallel()
	var manifest []struct {
		File     string   `json:"file"`
		Features []string `json:"features"`
	}
	require.NoError(t, json.Unmarshal(read(t, "real-world/manifest.json"), &manifest))
	urls := []string{"/", "/search/x?q=1", "/store/ajax/", "/a.gif", "/%2a$", "/en/cp/opc/A.html"}
	decided := 0
	for _, m := range manifest {
		body := read(t, "real-world/"+m.File)
		file := robots.Parse(body)
		for _, agent := range []string{"weir", "googlebot", "*", ""} {
			for _, url := range urls {
				d := file.Match(agent, url)
				require.Equal(t, d.Rule != "", d.Why == "", "%s: %+v", m.File, d)
				if d.Rule != "" {
					decided++
				}
				if d.Rule != "" && len(m.Features) > 0 && m.Features[0] != "utf16-bom" {
					require.Contains(t, string(body), d.Rule, m.File)
				}
			}
		}
	}
	require.Positive(t, decided)
	require.False(t, robots.Parse(read(t, "real-world/store.usps.com.txt")).Match("weir", "/store/ajax/x").Allowed, "UTF-16 is read")
	oracle := read(t, "real-world/docs.oracle.com.txt")
	at := strings.LastIndex(string(oracle), "Disallow: ")
	last, _, _ := strings.Cut(string(oracle[at:]), "\n")
	require.Greater(t, at, 800<<10)
	require.Equal(t, last, robots.Parse(oracle).Match("weir", strings.TrimPrefix(last, "Disallow: ")).Rule, "a large file counts to its last rule")
	t.Logf("figure: %d files, %d decisions by a rule", len(manifest), decided)
}
