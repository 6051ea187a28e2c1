package workers

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/fetch"
)

// TestEachNameHasItsOwnRules: a source, and each of its methods, is bound by the group of the name that it really asks under,
// in a file that was asked for under that name (N01).
func TestEachNameHasItsOwnRules(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	asked := map[string]int{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		asked[r.UserAgent()]++
		fmt.Fprint(w, "User-agent: tester\nDisallow: /tester\nCrawl-delay: 1\n\nUser-agent: own-bot\nDisallow: /own\nCrawl-delay: 7\n\n"+
			"User-agent: *\nDisallow: /\n")
	}))
	t.Cleanup(server.Close)
	client := fetch.New(fetch.Options{UserAgent: "tester/1.0 (+https://a.example)"})
	t.Cleanup(client.Close)
	named := func(agent string) collection.Request {
		return collection.Request{Headers: map[string]string{"user-agent": agent, "X-Other": "y"}}
	}
	src := collection.Source{
		Name: "books", Hosts: []string{"127.0.0.1"}, AllowPrivateAddresses: true, Timeout: time.Minute,
		Methods: []collection.Method{
			{Name: "page"}, {Name: "own", Request: named("Own-Bot/2.0")}, {Name: "browser", Request: named("Mozilla/5.0 (compatible; own-bot/3)")},
			{Name: "same", Request: named("Own-Bot/2.0")},
		},
	}
	learnt := map[string]time.Duration{}
	rules, err := NewSiteRules([]collection.Source{src}, RobotsNeeds{
		Fetcher: client, Permits: newCounted(), Egresses: oneWay{}, Agent: "tester/1.0 (+https://a.example)", Now: time.Now,
		Learn: func(_, origin string, d time.Duration) { learnt[origin] = d },
	})
	require.NoError(t, err)
	permit, err := newCounted().Acquire(t.Context(), "books")
	require.NoError(t, err)
	for _, m := range src.Methods {
		by, ok := src.By(m.Name)
		require.True(t, ok)
		for path, whose := range map[string]bool{"/tester": m.Name == "page", "/own": m.Name != "page", "/free": false} {
			_, err := rules.Check(t.Context(), by, server.URL+path)
			require.Equal(t, whose, err != nil, "%s %s", m.Name, path)
			require.Equal(t, whose, rules.CheckHop(t.Context(), by, server.URL+path, permit) != nil, "%s %s", m.Name, path)
		}
	}
	require.Equal(t, map[string]int{"tester/1.0 (+https://a.example)": 1, "Own-Bot/2.0": 1, "Mozilla/5.0 (compatible; own-bot/3)": 1}, asked)
	require.Equal(t, map[string]time.Duration{
		server.URL: time.Second, server.URL + " as Own-Bot/2.0": 7 * time.Second, server.URL + " as Mozilla/5.0 (compatible; own-bot/3)": 7 * time.Second,
	}, learnt, "the wish of one name does not undo another's")

	stranger := src
	stranger.Request = named("unheard-of/1")
	_, err = rules.Check(t.Context(), stranger, server.URL+"/free")
	require.ErrorContains(t, err, `"unheard-of/1"`)
	require.Error(t, rules.CheckHop(t.Context(), stranger, server.URL+"/free", permit))
}

// TestNamesThatNoFileCanAddress: the workers start with none of them, even if a configuration were to let one through.
func TestNamesThatNoFileCanAddress(t *testing.T) {
	t.Parallel()
	for want, r := range map[string]collection.Request{
		"the User-Agent of source books": {Headers: map[string]string{"User-Agent": "Mozilla/5.0 (X11)"}},
		"a name that everybody may know": {SecretHeaders: map[string]string{"User-Agent": "env:X"}},
	} {
		src := collection.Source{Name: "books", Request: r}
		needs := RobotsNeeds{Agent: "tester/1.0", Now: time.Now}
		_, err := NewSiteRules([]collection.Source{src}, needs)
		require.ErrorContains(t, err, want)
		src.Robots = collection.RobotsIgnore
		_, err = NewSiteRules([]collection.Source{src}, needs)
		require.NoError(t, err)
	}
}
