package site

import (
	_ "embed"
	"encoding/json"
	"html/template"
	"net/http"
	"strconv"
	"sync"
	"time"
)

//go:embed shop.html.tmpl
var shopText string

var shop = template.Must(template.New("shop").Parse(shopText))

// pages leads every host's paths to their answers.
func (s *Site) pages() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /robots.txt", func(w http.ResponseWriter, _ *http.Request) {
		plain(w, http.StatusOK, "User-agent: *\nAllow: /\n")
	})
	mux.HandleFunc("GET "+ShopHost+"/{$}", func(w http.ResponseWriter, _ *http.Request) { render(w, "shelf", Books()) })
	for _, b := range Books() {
		mux.HandleFunc("GET "+ShopHost+b.Path(), func(w http.ResponseWriter, r *http.Request) { s.book(w, r, b) })
	}
	for _, i := range Items() {
		mux.HandleFunc("GET "+StockHost+i.Path(), func(w http.ResponseWriter, r *http.Request) { s.item(w, r, i) })
	}
	return mux
}

func (s *Site) book(w http.ResponseWriter, r *http.Request, b Book) {
	if !s.behave(w, r, b.Path(), b.Behaviour) {
		return
	}
	if b.Behaviour == Empty {
		render(w, "empty", nil)
		return
	}
	render(w, "book", b)
}

func (s *Site) item(w http.ResponseWriter, r *http.Request, i Item) {
	if !s.behave(w, r, i.Path(), i.Behaviour) {
		return
	}
	w.Header().Set("Content-Type", "application/json")
	// Nobody can be told when this fails: the client is gone.
	_ = json.NewEncoder(w).Encode(map[string]any{
		"item":  map[string]any{"sku": i.SKU, "name": i.Name, "price": map[string]any{"amount": json.Number(i.Price), "currency": "GBP"}},
		"stock": []map[string]any{{"place": "north", "units": i.Units}, {"place": "south", "units": 1}},
	})
}

// behave takes the time that an answer takes, and gives it itself unless it is the page.
func (s *Site) behave(w http.ResponseWriter, r *http.Request, path string, b Behaviour) (show bool) {
	took := s.timing.Ordinary
	if b == Slow {
		took = s.timing.Slow
	}
	select {
	case <-time.After(took):
	case <-r.Context().Done():
		return false
	}
	switch {
	case b == Missing:
		plain(w, http.StatusNotFound, "There is no such book.\n")
	case b == Throttled && !s.patient.waited(path, s.timing.RetryAfter):
		w.Header().Set("Retry-After", strconv.Itoa(int(s.timing.RetryAfter.Seconds())))
		plain(w, http.StatusTooManyRequests, "Please come back later.\n")
	case b == Failing && s.count.ofPath(path) <= failures:
		plain(w, http.StatusInternalServerError, "Something is wrong with us.\n")
	default:
		return true
	}
	return false
}

func plain(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text))
}

func render(w http.ResponseWriter, name string, data any) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_ = shop.ExecuteTemplate(w, name, data)
}

// patience knows since when a path may be asked again.
type patience struct {
	now func() time.Time
	mu  sync.Mutex
	at  map[string]time.Time
}

func newPatience(now func() time.Time) *patience {
	return &patience{now: now, at: map[string]time.Time{}}
}

// waited says whether a path was asked for before and left alone since for as long as it wanted. Asking too early makes it
// begin anew.
func (p *patience) waited(path string, wait time.Duration) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	again, asked := p.at[path]
	if asked && !p.now().Before(again) {
		return true
	}
	p.at[path] = p.now().Add(wait)
	return false
}
