package collection

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTrailKeepsBothEnds: of many attempts the first and the latest stay, the number of those left out is known, and a
// trail that somebody holds is not changed by those added later.
func TestTrailKeepsBothEnds(t *testing.T) {
	t.Parallel()
	var trail Trail
	var trails []Trail
	for i := range 20 {
		trail = trail.Add(AttemptLine{Status: 500 + i})
		trails = append(trails, trail)
	}
	for n, held := range trails {
		require.Equal(t, n+1, len(held.Attempts)+held.Omitted)
		require.LessOrEqual(t, len(held.Attempts), MaxTrail)
		require.Equal(t, 500, held.Attempts[0].Status)
		require.Equal(t, 500+n, held.Attempts[len(held.Attempts)-1].Status)
	}
	var kept []int
	for _, line := range trail.Attempts {
		kept = append(kept, line.Status-500)
	}
	require.Equal(t, []int{0, 1, 2, 3, 16, 17, 18, 19}, kept)
}

// TestSourceBy: a method has its own request, and the source's rules unless it has its own.
func TestSourceBy(t *testing.T) {
	t.Parallel()
	s := Source{
		Request: Request{Method: "HEAD"}, Parse: Parse{Type: "html"},
		Methods: []Method{
			{Name: "page", Request: Request{URL: "{url}"}},
			{Name: "api", Request: Request{URL: "https://api.example/{id}"}, Parse: Parse{Type: "json"}},
		},
	}
	for method, want := range map[string][2]string{"": {"{url}", "html"}, "page": {"{url}", "html"}, "api": {"https://api.example/{id}", "json"}} {
		got, ok := s.By(method)
		require.True(t, ok, method)
		require.Equal(t, want, [2]string{got.Request.URL, got.Parse.Type}, method)
	}
	_, ok := s.By("mirror")
	require.False(t, ok)

	plain := Source{Request: Request{Method: "HEAD"}}
	got, ok := plain.By("")
	require.True(t, ok)
	require.Equal(t, "HEAD", got.Request.Method)
	_, ok = plain.By("page")
	require.False(t, ok)
}

// TestSourceAsksRecordURL: a URL that a record brings is requested unless every way builds its own.
func TestSourceAsksRecordURL(t *testing.T) {
	t.Parallel()
	builds, own := Request{URL: "https://api.example/{id}"}, Request{URL: RecordURL}
	for _, c := range []struct {
		source Source
		want   bool
	}{
		{Source{}, true},
		{Source{Request: own}, true},
		{Source{Request: builds}, false},
		{Source{Methods: []Method{{Request: builds}, {}}}, true},
		{Source{Methods: []Method{{Request: builds}, {Request: builds}}}, false},
	} {
		require.Equal(t, c.want, c.source.AsksRecordURL(), "%+v", c.source)
	}
}
