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

// TestRobotsBehindRedirects: five redirects in a row are followed, as RFC 9309 section 2.3.1.2 asks for; where they do not
// end, there is no file.
func TestRobotsBehindRedirects(t *testing.T) {
	for hops, allowed := range map[int]bool{0: false, 1: false, 5: false, 20: true} {
		t.Run(fmt.Sprint(hops), func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				done, _ := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/hop/"))
				if done < hops {
					http.Redirect(w, r, fmt.Sprintf("/hop/%d", done+1), http.StatusFound)
					return
				}
				fmt.Fprint(w, "User-agent: *\nDisallow: /a\n")
			}))
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
			_, err = rules.Check(t.Context(), src, server.URL+"/a")
			if allowed {
				require.NoError(t, err)
				return
			}
			var refused *collection.Refused
			require.ErrorAs(t, err, &refused)
			require.Equal(t, collection.ReasonRobotsDenied, refused.Reason)
		})
	}
}
