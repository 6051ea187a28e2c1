package doctor

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/weir-collect/weir/config"
	"github.com/weir-collect/weir/internal/objectstore"
)

// OpenBucket opens the bucket of a configuration for a Patient, and notes the date of every answer.
func OpenBucket(ctx context.Context, cfg config.Config, secret func(string) (string, error), now func() time.Time) (Bucket, func() (time.Duration, bool), error) {
	access, secretKey := "", ""
	if !cfg.S3.AccessKey.IsZero() {
		var err error
		if access, err = secret(cfg.S3.AccessKey.String()); err != nil {
			return nil, nil, err
		}
		if secretKey, err = secret(cfg.S3.SecretKey.String()); err != nil {
			return nil, nil, err
		}
	}
	watch := &dateWatch{next: http.DefaultTransport, now: now}
	store, err := objectstore.Open(ctx, objectstore.Options{
		Endpoint: cfg.S3.Endpoint, Region: cfg.S3.Region, Bucket: cfg.S3.Bucket, PathStyle: cfg.S3.PathStyle,
		AccessKey: access, SecretKey: secretKey, HTTPClient: &http.Client{Transport: watch},
	})
	if err != nil {
		return nil, nil, err
	}
	return store, watch.skew, nil
}

// dateWatch compares the Date of answers with the clock.
type dateWatch struct {
	next http.RoundTripper
	now  func() time.Time

	mu    sync.Mutex
	ahead time.Duration
	known bool
}

// RoundTrip passes a request on.
func (w *dateWatch) RoundTrip(r *http.Request) (*http.Response, error) {
	asked := w.now()
	answer, err := w.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	// The date is cut to a second, so on average it is half a second ago; between asking and answering lies the rest.
	if date, dateErr := http.ParseTime(answer.Header.Get("Date")); dateErr == nil {
		middle := asked.Add(w.now().Sub(asked) / 2)
		w.mu.Lock()
		w.ahead, w.known = date.Add(500*time.Millisecond).Sub(middle), true
		w.mu.Unlock()
	}
	return answer, nil
}

func (w *dateWatch) skew() (time.Duration, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.ahead, w.known
}
