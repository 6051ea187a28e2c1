package robots

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDetached: the copy says the same as the rules, and its size follows what they hold, not what stood around it.
func TestDetached(t *testing.T) {
	t.Parallel()
	var file strings.Builder
	file.WriteString("User-agent: *\nCrawl-delay: 3\nAllow: /open/*?x=/1$\n")
	for i := range 100 {
		fmt.Fprintf(&file, "Disallow: /%d/*/end$\n", i)
	}
	rules := Parse([]byte(file.String())).For("tester")
	own, bytes := rules.Detached()
	require.Equal(t, rules, own)
	for _, url := range []string{"https://a.example/7/x/end", "https://a.example/7/x/end/", "https://a.example/open/q?x=%2F1"} {
		require.Equal(t, rules.Match(url), own.Match(url), url)
	}
	require.Greater(t, bytes, int64(100*100), "a rule takes more than its line")
	require.Less(t, bytes, int64(100*1000))

	padded := Parse([]byte("User-agent: *\nDisallow: /a" + strings.Repeat(" ", MaxBytes/2) + "\n")).For("tester")
	_, small := padded.Detached()
	require.Less(t, small, int64(1000), "the blanks behind a rule are let go")

	none, nothing := Rules{why: WhyNoFile}.Detached()
	require.Zero(t, nothing)
	require.True(t, none.Match("https://a.example/").Allowed)
}
