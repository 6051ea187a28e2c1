package workers

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/fetch"
)

// chain redirects from /robots.txt over so many hops to a file; of around hops it comes back to the first.
func chain(hops, around int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		done, _ := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/hop/"))
		switch {
		case around > 0 && done+1 == around:
			http.Redirect(w, r, "/robots.txt", http.StatusFound)
		case around > 0 || done < hops:
			http.Redirect(w, r, fmt.Sprintf("/hop/%d", done+1), http.StatusFound)
		default:
			fmt.Fprint(w, "User-agent: *\nDisallow: /a\n")
		}
	}
}

// TestRobotsBehindRedirects: five redirects in a row are followed, as RFC 9309 section 2.3.1.2 asks for; where they do not
// end, or go round in a circle, there is no file.
func TestRobotsBehindRedirects(t *testing.T) {
	for name, c := range map[string]struct {
		hops, around int
		allowed      bool
	}{
		"none": {}, "one": {hops: 1}, "five": {hops: 5}, "twenty": {hops: 20, allowed: true},
		"to itself": {around: 1, allowed: true}, "a circle of three": {around: 3, allowed: true},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(chain(c.hops, c.around))
			defer server.Close()
			client := fetch.New(fetch.Options{})
			defer client.Close()
			src := collection.Source{
				Name: "books", Hosts: []string{"127.0.0.1"}, AllowPrivateAddresses: true, MaxBody: 1 << 20, Timeout: time.Minute,
			}
			rules, err := NewSiteRules([]collection.Source{src}, RobotsNeeds{
				Fetcher: client, Permits: newCounted(), Egresses: oneWay{}, Metrics: silentMetrics{}, Agent: "tester/1.0 (+https://a.example)",
				Now: time.Now, Learn: func(string, string, time.Duration) {},
			})
			require.NoError(t, err)
			decision, err := rules.Check(t.Context(), src, server.URL+"/a")
			if c.allowed {
				require.NoError(t, err)
				require.Equal(t, "no robots.txt", decision.Why)
				return
			}
			var refused *collection.Refused
			require.ErrorAs(t, err, &refused)
			require.Equal(t, collection.ReasonRobotsDenied, refused.Reason)
		})
	}
}
