package doctor_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weir-collect/weir/internal/doctor"
)

func TestVersions(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]doctor.Level{
		"1.32.1": doctor.OK, "v1.32.0": doctor.OK, "1.40": doctor.OK, "2.0.0": doctor.OK, "1.32.1-alpha.2": doctor.OK,
		"1.31.9": doctor.Warn, "1.28.0": doctor.Warn, "1.27.99": doctor.Fail, "0.99.0": doctor.Fail,
		"": doctor.Warn, "1": doctor.Warn, "one.two": doctor.Warn,
	} {
		e := healthy()
		e.version = version
		found := examined(t, patient(t, healthyConfig, e, goodBucket()), "temporal")
		require.Equal(t, want, doctor.Worst(found), version)
		require.Contains(t, found[0].What, version)
	}
}

func TestRetention(t *testing.T) {
	t.Parallel()
	for kept, want := range map[time.Duration]struct {
		level doctor.Level
		what  string
	}{
		168 * time.Hour: {doctor.OK, "for 7 days"}, 720 * time.Hour: {doctor.OK, "for 30 days"}, 24 * time.Hour: {doctor.Warn, "for 1 day"},
		90 * time.Minute: {doctor.Warn, "for 1h30m0s"}, 167 * time.Hour: {doctor.Warn, "for 167h0m0s"},
	} {
		e := healthy()
		e.retention = kept
		found := examined(t, patient(t, healthyConfig, e, goodBucket()), "namespace")
		require.Equal(t, want.level, doctor.Worst(found), kept)
		require.Contains(t, found[0].What, want.what)
	}
}

// TestSkew: a clock is judged by its distance, whichever way, and never for what the measuring leaves in doubt.
func TestSkew(t *testing.T) {
	t.Parallel()
	for ahead, want := range map[time.Duration]doctor.Level{
		0: doctor.OK, time.Second: doctor.OK, -3 * time.Second: doctor.OK, // S3 tells seconds only
		4 * time.Second: doctor.Warn, -4 * time.Second: doctor.Warn, 4 * time.Minute: doctor.Warn, 6 * time.Minute: doctor.Fail, -time.Hour: doctor.Fail,
	} {
		b := goodBucket()
		b.ahead = ahead
		found := examined(t, patient(t, healthyConfig, healthy(), b), "clocks")
		require.Equal(t, want, doctor.Worst(found), ahead)
	}
}

func TestUserAgents(t *testing.T) {
	t.Parallel()
	const own = "s3: {bucket: weir}\nuser_agent: bot/1 (+https://example.com/bot)\nsources:\n" +
		"  - {name: books, hosts: [b.example], ceiling: 1, robots: ignore, robots_reason: the site is our own, request: {headers: {user-agent: AGENT}}, parse: {type: json, fields: [{name: t, jq: .t}]}}\n"
	for agent, want := range map[string]doctor.Level{
		"shop-bot/2 (bot@example.com)": doctor.OK, "shop-bot/2": doctor.Warn, "(bot@example.com)": doctor.Fail,
		"Mozilla/5.0 (compatible; shop-bot/2; +https://example.com)": doctor.OK,
	} {
		text := strings.ReplaceAll(own, "AGENT", `"`+agent+`"`)
		found := examined(t, patient(t, text, healthy(), goodBucket()), "user-agent")
		require.Equal(t, want, doctor.Worst(found), "%s: %+v", agent, found)
		if want != doctor.OK {
			require.Contains(t, found[0].What, "the user agent of source books")
		}
	}
}

// TestWorst is the largest, in whatever order they come.
func TestWorst(t *testing.T) {
	t.Parallel()
	levels := []doctor.Level{doctor.OK, doctor.Skipped, doctor.Warn, doctor.Fail}
	rapid.Check(t, func(t *rapid.T) {
		drawn := rapid.SliceOf(rapid.IntRange(0, 3)).Draw(t, "levels")
		worst, found := 0, []doctor.Finding{}
		for _, l := range drawn {
			worst = max(worst, l)
			found = append(found, doctor.Finding{Level: levels[l]})
		}
		require.Equal(t, levels[worst], doctor.Worst(found))
	})
}
