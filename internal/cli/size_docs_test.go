package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/internal/sizing"
)

func sizingPage(t *testing.T) string {
	t.Helper()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "sizing.md"))
	require.NoError(t, err)
	return string(page)
}

// TestSizePageExamples: what the page shows as input is accepted, or lacks nothing but length.
func TestSizePageExamples(t *testing.T) {
	t.Parallel()
	page := sizingPage(t)
	example := func(language string) string {
		found := regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllStringSubmatch(page, -1)
		require.Len(t, found, 1, language)
		return found[0][1]
	}
	_, err := sizing.ReadParams(strings.NewReader(example("json")))
	require.NoError(t, err)
	h, err := sizing.ReadHistory(strings.NewReader(example("csv")))
	require.NoError(t, err)
	require.Equal(t, 41, h.Jobs())
	require.Equal(t, []sizing.ServiceTime{{Minutes: 6.5, Jobs: 1, Group: 1}}, h.Services)
}

// TestSizePageNamesEveryKey: the decoder lists the keys that it knows when it meets one that it does not.
func TestSizePageNamesEveryKey(t *testing.T) {
	t.Parallel()
	page := sizingPage(t)
	for _, file := range []string{
		`{"?": 0}`, `{"service": {"?": 0}}`, `{"batches": {"?": 0}}`, `{"promise": {"?": 0}}`, `{"workers": {"?": 0}}`,
		`{"elastic": {"?": 0}}`, `{"sources": [{"?": 0}]}`, `{"customers": [{"?": 0}]}`, `{"job_costs": [{"?": 0}]}`,
	} {
		_, err := sizing.ReadParams(strings.NewReader(file))
		_, keys, found := strings.Cut(err.Error(), "there is no such key: use ")
		require.True(t, found, err)
		for _, key := range strings.Split(keys, ", ") {
			require.Contains(t, page, "`"+key+"`")
		}
	}
}

// TestSizePageHasItsCharts: the pictures are there, and small enough for a page.
func TestSizePageHasItsCharts(t *testing.T) {
	t.Parallel()
	page := sizingPage(t)
	for _, c := range sizeCharts {
		name := "images/sizing-" + c.name + ".png"
		require.Contains(t, page, "]("+name+")")
		info, err := os.Stat(filepath.Join("..", "..", "docs", filepath.FromSlash(name)))
		require.NoError(t, err)
		require.Less(t, info.Size(), int64(200<<10))
	}
}
