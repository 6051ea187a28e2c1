package site

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func start(t *testing.T, timing Timing) *Site {
	t.Helper()
	s, err := Start(timing)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Stop(context.Background())) })
	return s
}

func get(t *testing.T, url string) (*http.Response, string) {
	t.Helper()
	response, err := http.Get(url)
	require.NoError(t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response, string(body)
}

func bookThat(t *testing.T, does Behaviour) Book {
	t.Helper()
	for _, b := range Books() {
		if b.Behaviour == does {
			return b
		}
	}
	t.Fatalf("no book is %s", does)
	return Book{}
}

func TestGoodsAreDistinct(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, b := range Books() {
		require.False(t, seen[b.Path()], b.Path())
		seen[b.Path()] = true
	}
	for _, i := range Items() {
		require.False(t, seen[i.Path()], i.Path())
		require.Regexp(t, `^\d+\.\d\d$`, i.Price)
		seen[i.Path()] = true
	}
	require.Len(t, seen, 37)
}

func TestBookPage(t *testing.T) {
	t.Parallel()
	s := start(t, Timing{})
	var b Book
	for _, b = range Books() {
		if strings.Contains(b.Title, "&") {
			break
		}
	}
	response, body := get(t, s.URL(ShopHost, b.Path()))
	require.Equal(t, http.StatusOK, response.StatusCode)
	require.Equal(t, "text/html; charset=utf-8", response.Header.Get("Content-Type"))
	require.Contains(t, body, `<h1 class="title">Salt &amp; Its Neighbours</h1>`)
	require.Contains(t, body, `<p class="price">£21.00</p>`)
	require.Contains(t, body, "<li>sea</li>")

	_, rest, found := strings.Cut(body, `<script type="application/ld+json">`)
	require.True(t, found)
	script, _, _ := strings.Cut(rest, "</script>")
	var item struct {
		Name, SKU string
		Offers    struct{ Price string }
	}
	require.NoError(t, json.Unmarshal([]byte(script), &item))
	require.Equal(t, b.Title, item.Name)
	require.Equal(t, b.Slug, item.SKU)
	require.Equal(t, b.Price, item.Offers.Price)
}

func TestItem(t *testing.T) {
	t.Parallel()
	s := start(t, Timing{})
	i := Items()[3]
	response, body := get(t, s.URL(StockHost, i.Path()))
	require.Equal(t, http.StatusOK, response.StatusCode)
	require.JSONEq(t, `{"item": {"sku": "ST-121", "name": "tin mug", "price": {"amount": 13.15, "currency": "GBP"}},
		"stock": [{"place": "north", "units": 9}, {"place": "south", "units": 1}]}`, body)
}

func TestShelfLeadsToEveryBook(t *testing.T) {
	t.Parallel()
	s := start(t, Timing{})
	_, body := get(t, s.URL(ShopHost, "/"))
	for _, b := range Books() {
		require.Contains(t, body, `href="`+b.Path()+`"`)
	}
	_, robots := get(t, s.URL(StockHost, "/robots.txt"))
	require.Contains(t, robots, "Allow: /")
}

func TestHostsAreApart(t *testing.T) {
	t.Parallel()
	s := start(t, Timing{})
	response, _ := get(t, s.URL(StockHost, Books()[0].Path()))
	require.Equal(t, http.StatusNotFound, response.StatusCode)
	response, _ = get(t, s.URL(ShopHost, Items()[0].Path()))
	require.Equal(t, http.StatusNotFound, response.StatusCode)
}

func TestMissing(t *testing.T) {
	t.Parallel()
	s := start(t, Timing{})
	response, _ := get(t, s.URL(ShopHost, bookThat(t, Missing).Path()))
	require.Equal(t, http.StatusNotFound, response.StatusCode)
}

func TestEmptyHoldsNothing(t *testing.T) {
	t.Parallel()
	s := start(t, Timing{})
	b := bookThat(t, Empty)
	response, body := get(t, s.URL(ShopHost, b.Path()))
	require.Equal(t, http.StatusOK, response.StatusCode)
	require.NotContains(t, body, b.Title)
}

func TestFailingHeals(t *testing.T) {
	t.Parallel()
	s := start(t, Timing{})
	b := bookThat(t, Failing)
	var got []int
	for range 4 {
		response, _ := get(t, s.URL(ShopHost, b.Path()))
		got = append(got, response.StatusCode)
	}
	require.Equal(t, []int{500, 500, 200, 200}, got)
	require.Equal(t, 4, s.Requests(b.Path()))
	require.Equal(t, 4, s.Total(ShopHost))
}

func TestThrottledSaysForHowLong(t *testing.T) {
	t.Parallel()
	s := start(t, Timing{RetryAfter: time.Hour})
	b := bookThat(t, Throttled)
	for range 2 { // the second comes too early
		response, _ := get(t, s.URL(ShopHost, b.Path()))
		require.Equal(t, http.StatusTooManyRequests, response.StatusCode)
		require.Equal(t, "3600", response.Header.Get("Retry-After"))
	}
}

func TestPatience(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	p := newPatience(func() time.Time { return now })
	require.False(t, p.waited("/a", 2*time.Second), "the first time")
	now = now.Add(1900 * time.Millisecond)
	require.False(t, p.waited("/a", 2*time.Second), "too early, and begins anew")
	now = now.Add(1900 * time.Millisecond)
	require.False(t, p.waited("/a", 2*time.Second), "too early again")
	require.False(t, p.waited("/b", 2*time.Second), "another path has waited for nothing")
	now = now.Add(2 * time.Second)
	require.True(t, p.waited("/a", 2*time.Second))
	require.True(t, p.waited("/a", 2*time.Second), "and from then on")
}

// TestPeak holds requests open until all of them have come: then the peak is known exactly.
func TestPeak(t *testing.T) {
	t.Parallel()
	const many = 5
	c := newCounter()
	var all sync.WaitGroup
	all.Add(many)
	h := c.around(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		all.Done()
		all.Wait()
	}))
	var clients sync.WaitGroup
	for range many {
		clients.Go(func() {
			r, _ := http.NewRequest(http.MethodGet, "http://a.example:8080/x", nil)
			h.ServeHTTP(nil, r)
		})
	}
	clients.Wait()
	require.Equal(t, load{inFlight: 0, peak: many, total: many}, c.ofHost("a.example"))
	require.Equal(t, load{}, c.ofHost("b.example"))
	require.Equal(t, many, c.ofPath("/x"))
}

func TestAnswersTakeTheirTime(t *testing.T) {
	t.Parallel()
	s := start(t, Timing{Ordinary: 20 * time.Millisecond, Slow: 250 * time.Millisecond})
	began := time.Now()
	get(t, s.URL(ShopHost, bookThat(t, Slow).Path()))
	require.GreaterOrEqual(t, time.Since(began), 250*time.Millisecond)
}
