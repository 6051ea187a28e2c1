package collection

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestCheckSame(t *testing.T) {
	t.Parallel()
	one, two := strings.Repeat("1a", 32), strings.Repeat("2b", 32)
	file := func(name, sum string) *Content { return &Content{Upload: "uploads/acme/p/" + name, SHA256: sum} }
	with := func(c *Content, source, format string) *Content {
		return &Content{Upload: c.Upload, SHA256: c.SHA256, Source: source, Format: format}
	}
	for name, c := range map[string]struct {
		before, now Origin
		says        []string
	}{
		"the same":                     {Origin{"acme", file("a.csv", one)}, Origin{"acme", file("a.csv", one)}, nil},
		"the same under another name":  {Origin{"acme", file("a.csv", one)}, Origin{"acme", file("b.csv", one)}, nil},
		"records and a file of them":   {Origin{"acme", &Content{SHA256: one}}, Origin{"acme", file("b.jsonl", one)}, nil},
		"before contents were kept":    {Origin{"acme", nil}, Origin{"acme", file("b.csv", two)}, nil},
		"no digest, the same name":     {Origin{"acme", file("a.csv", "")}, Origin{"acme", file("a.csv", one)}, nil},
		"another customer, no content": {Origin{"acme", nil}, Origin{"initech", file("a.csv", one)}, []string{"it is customer acme's, not initech's"}},
		"another file": {Origin{"acme", file("a.csv", one)}, Origin{"acme", file("b.csv", two)},
			[]string{"it was made of uploads/acme/p/a.csv (SHA-256 1a1a1a1a1a1a...), not of uploads/acme/p/b.csv (SHA-256 2b2b2b2b2b2b...)"}},
		"other bytes of that name": {Origin{"acme", file("a.csv", one)}, Origin{"acme", file("a.csv", two)}, []string{"SHA-256 2b2b2b2b2b2b..."}},
		"no digest, another name": {Origin{"acme", file("a.csv", "")}, Origin{"acme", file("b.csv", two)},
			[]string{"uploads/acme/p/a.csv, not of uploads/acme/p/b.csv (SHA-256"}},
		"records": {Origin{"acme", &Content{SHA256: one}}, Origin{"acme", file("b.csv", two)}, []string{"of records within the submission (SHA-256 1a"}},
		"how it is read": {Origin{"acme", with(file("a.csv", one), "books", "")}, Origin{"acme", with(file("a.csv", one), "", "csv")},
			[]string{"rows that name none is books, not none", "format was given as none, not as csv"}},
		"everything": {Origin{"acme", with(file("a.csv", one), "books", "csv")}, Origin{"initech", file("b.csv", two)},
			[]string{"acme's, not initech's; it was made of", "is books, not none", "as csv, not as none"}},
	} {
		err := CheckSame("p", c.before, c.now)
		if c.says == nil {
			require.NoError(t, err, name)
			continue
		}
		var taken *IDTakenError
		require.ErrorAs(t, err, &taken, name)
		require.ErrorContains(t, err, "the id p is of another submission already: ", name)
		require.ErrorContains(t, err, "give this one another id", name)
		for _, text := range c.says {
			require.ErrorContains(t, err, text, name)
		}
	}
}

// TestRecordsDigestSurvivesTravelling: a client's encoder may write the same record otherwise.
func TestRecordsDigestSurvivesTravelling(t *testing.T) {
	t.Parallel()
	digest := func(t require.TestingT, records ...json.RawMessage) string {
		sum, err := RecordsDigest(records)
		require.NoError(t, err)
		return sum
	}
	raw := json.RawMessage("{\n \"url\": \"https://a.example/?a=1&b=<2>\" }")
	require.Equal(t, Digest([]byte(`{"url":"https://a.example/?a=1\u0026b=\u003c2\u003e"}`+"\n")), digest(t, raw))
	require.NotEqual(t, digest(t, raw, json.RawMessage(`{}`)), digest(t, json.RawMessage(`{}`), raw), "in order")
	_, err := RecordsDigest([]json.RawMessage{json.RawMessage(`{}`), json.RawMessage(`{`)})
	require.ErrorContains(t, err, "records[1] is not JSON")

	rapid.Check(t, func(r *rapid.T) {
		text, err := json.MarshalIndent(map[string]string{rapid.String().Draw(r, "name"): rapid.String().Draw(r, "value")}, " ", "\t")
		require.NoError(r, err)
		travelled, err := json.Marshal(SubmissionInput{Records: []json.RawMessage{text}})
		require.NoError(r, err)
		var arrived SubmissionInput
		require.NoError(r, json.Unmarshal(travelled, &arrived))
		require.Equal(r, digest(r, text), digest(r, arrived.Records...))
	})
}
