package collection

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestRecordID(t *testing.T) {
	id := RecordID("books", "https://a.example/x")
	require.Equal(t, "d651c9bc1b0ea28c4bf2", id)
	require.True(t, IsRecordID(id))
	require.NotEqual(t, RecordID("a", "bc"), RecordID("ab", "c"), "source and key do not run into each other")
	for _, s := range []string{"", "ABCDEF0123456789ABCD", id + "0", id[1:], "https://a.example"} {
		require.False(t, IsRecordID(s), s)
	}
}

func TestNames(t *testing.T) {
	for _, ok := range []string{"a", "acme", "acme-2", "a_b", "9", strings.Repeat("x", 63)} {
		require.NoError(t, CheckName("customer", ok), ok)
	}
	for _, bad := range []string{"", "-a", "Acme", "a b", "a/b", "ä", "a.b", strings.Repeat("x", 64), "a\n"} {
		require.ErrorContains(t, CheckName("customer", bad), "customer", bad)
	}
}

func TestSubmissionIDs(t *testing.T) {
	for _, ok := range []string{"a", "Acme-1", "2026.11.29_x", strings.Repeat("x", 100)} {
		require.NoError(t, CheckSubmissionID(ok), ok)
	}
	for _, bad := range []string{"", ".a", "a/b", "a..b", "a b", strings.Repeat("x", 101), "weir/ceilings", "ü", "a\n"} {
		require.Error(t, CheckSubmissionID(bad), bad)
	}
}

func TestTally(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var tally Tally
		counts := map[Count]int{}
		total := 0
		for range rapid.IntRange(0, 40).Draw(t, "rows") {
			o := rapid.SampledFrom(Outcomes()).Draw(t, "outcome")
			r := rapid.SampledFrom([]Reason{"", ReasonGone, ReasonTimeout}).Draw(t, "reason")
			n := rapid.IntRange(0, 5).Draw(t, "n")
			tally.Add(o, r, n)
			counts[Count{Outcome: o, Reason: r}] += n
			total += n
		}
		if tally.Total() != total {
			t.Fatalf("total %d, want %d", tally.Total(), total)
		}
		for i, row := range tally {
			if row.Records != counts[Count{Outcome: row.Outcome, Reason: row.Reason}] || row.Records == 0 {
				t.Fatalf("row %+v", row)
			}
			if i > 0 && compareCounts(tally[i-1], row) >= 0 {
				t.Fatalf("not sorted: %+v", tally)
			}
		}
		var twice Tally
		twice.Merge(tally)
		twice.Merge(tally)
		byOutcome := 0
		for _, o := range Outcomes() {
			byOutcome += twice.Of(o)
		}
		if twice.Total() != 2*total || byOutcome != 2*total {
			t.Fatalf("merged total %d, by outcome %d, want %d", twice.Total(), byOutcome, 2*total)
		}
	})
}

func TestClip(t *testing.T) {
	require.Equal(t, "short", Clip("short", 10))
	require.Equal(t, "", Clip("", 10))
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		n := rapid.IntRange(3, 50).Draw(t, "n")
		got := Clip(text, n)
		if len(got) > n || !utf8.ValidString(got) || (len(text) <= n && got != text) {
			t.Fatalf("Clip(%q, %d) = %q", text, n, got)
		}
	})
}

func TestDuration(t *testing.T) {
	b, err := json.Marshal(Duration(90 * time.Second))
	require.NoError(t, err)
	require.Equal(t, `"1m30s"`, string(b))
	var d Duration
	require.NoError(t, json.Unmarshal([]byte(`"90s"`), &d))
	require.Equal(t, 90*time.Second, d.Std())
	require.ErrorContains(t, json.Unmarshal([]byte(`90`), &d), "with a unit")
	require.ErrorContains(t, json.Unmarshal([]byte(`"90"`), &d), "with a unit")
}

func TestSubmissionInputCheck(t *testing.T) {
	row := []json.RawMessage{json.RawMessage(`{"url":"https://a.example/"}`)}
	require.NoError(t, SubmissionInput{Customer: "acme", Records: row}.Check())
	require.NoError(t, SubmissionInput{Customer: "acme", Upload: "uploads/acme/s/f", Format: "csv", Lane: LaneBulk, Source: "books"}.Check())
	err := SubmissionInput{Customer: "A", Source: "B", Format: "xls", Lane: "fast", Upload: "u", Records: row}.Check()
	for _, part := range []string{`customer "A"`, `source "B"`, `format "xls"`, `lane "fast"`, "both upload and records"} {
		require.ErrorContains(t, err, part, "every problem is told at once")
	}
	require.ErrorContains(t, SubmissionInput{Customer: "acme"}.Check(), "neither upload nor records")
	big := []json.RawMessage{json.RawMessage(`"` + strings.Repeat("x", MaxInlineBytes) + `"`)}
	require.ErrorContains(t, SubmissionInput{Customer: "acme", Records: big}.Check(), "upload them as a file")
}

func TestLanes(t *testing.T) {
	last := 0
	for _, l := range Lanes() {
		require.NoError(t, l.Check())
		require.Greater(t, l.PriorityKey(), last, "an earlier lane is served first")
		last = l.PriorityKey()
	}
	require.Equal(t, LaneNormal.PriorityKey(), Lane("").PriorityKey())
	require.Error(t, Lane("fast").Check())
}

func TestOwns(t *testing.T) {
	s := Source{Hosts: []string{"www.example.com", "*.shop.example"}}
	for host, owned := range map[string]bool{
		"www.example.com": true, "WWW.Example.COM.": true, "example.com": false, "a.www.example.com": false,
		"a.shop.example": true, "a.b.shop.example": true, "shop.example": false, "evilshop.example": false, "": false,
	} {
		require.Equal(t, owned, s.Owns(host), host)
	}
}

func TestPolicy(t *testing.T) {
	s := Source{Ceiling: 5, Prefetch: 2, GiveUpAfter: time.Hour}
	require.Equal(t, SourcePolicy{Window: 17, HeartbeatTimeout: Duration(time.Second), GiveUpAfter: Duration(time.Hour)}, s.Policy(time.Second))
	s.Window = 9
	require.Equal(t, 9, s.Policy(time.Second).Window)
}

func TestCustomerLanes(t *testing.T) {
	c := Customer{Lanes: []Lane{LaneNormal}}
	require.True(t, c.Allows(LaneNormal))
	require.False(t, c.Allows(LaneUrgent))
}

func TestConflictNamesBothDigests(t *testing.T) {
	err := &ConflictError{Existing: ObjectInfo{Key: "k", SHA256: "aa"}, SHA256: "bb"}
	require.ErrorContains(t, err, "k")
	require.ErrorContains(t, err, "aa")
	require.ErrorContains(t, err, "bb")
}

func TestShown(t *testing.T) {
	require.Equal(t, "u", Record{URL: "u", Key: "k"}.Shown())
	require.Equal(t, "k", Record{Key: "k"}.Shown())
	require.LessOrEqual(t, len(Record{Key: strings.Repeat("é", 300)}.Shown()), MaxKeyShown)
}

func TestPlural(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "0 rows", 1: "1 row", 2: "2 rows", 1200: "1200 rows"} {
		require.Equal(t, want, Plural(n, "row"))
	}
}
