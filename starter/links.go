package starter

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/weir-collect/weir/collection"
)

// MaxExpiry is the longest life of a link: S3 signs for no longer.
const MaxExpiry = 7 * 24 * time.Hour

// Link is a file of a delivery behind a signed URL. The URL is a secret: whoever has it has the file.
type Link struct {
	Name    string    `json:"name"`
	URL     string    `json:"url"`
	Size    int64     `json:"size,omitempty"`
	Records int       `json:"records,omitempty"`
	SHA256  string    `json:"sha256,omitempty"`
	Expires time.Time `json:"expires"`
	// Capped says that the link lives shorter than asked, because the credentials that sign it do.
	Capped bool `json:"capped,omitempty"`
}

// Links signs every file of a settled submission's delivery, the manifest first.
func (c *Client) Links(ctx context.Context, id string, expiry time.Duration) ([]Link, error) {
	if expiry <= 0 || expiry > MaxExpiry {
		return nil, fmt.Errorf("links cannot expire after %s: use more than zero and at most %s", expiry, MaxExpiry)
	}
	plan, err := c.planned(ctx, id)
	if err != nil {
		return nil, err
	}
	manifest, raw, err := c.manifest(ctx, plan)
	if errors.Is(err, collection.ErrObjectMissing) {
		return nil, fmt.Errorf("submission %s has no delivery yet: wait until it is settled: %w", id, ErrNotFound)
	}
	if err != nil {
		return nil, err
	}
	files := []collection.ManifestFile{
		{Key: collection.ManifestKey(plan.Customer, id), Name: "manifest.json", Size: int64(len(raw)), SHA256: collection.Digest(raw)},
		{Key: collection.ManifestSumKey(plan.Customer, id), Name: "manifest.sha256"},
	}
	var links []Link
	for _, f := range append(files, manifest.Files...) {
		signed, err := c.store.PresignGet(ctx, f.Key, expiry)
		if err != nil {
			return nil, fmt.Errorf("sign %s: %w", f.Key, err)
		}
		links = append(links, Link{
			Name: f.Name, URL: signed.URL, Size: f.Size, Records: f.Records, SHA256: f.SHA256,
			Expires: signed.ExpiresAt, Capped: signed.Capped,
		})
	}
	return links, nil
}
