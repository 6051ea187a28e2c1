package activities

import (
	"context"
	"path"
	"sync"

	"go.temporal.io/sdk/activity"

	"github.com/weir-collect/weir/collection"
)

// shipment is one delivery on its way.
type shipment struct {
	shipper  *Shipper
	attempt  *attempt
	delivery *delivery
	// to is nil where the delivery is only checked.
	to *target

	mu sync.Mutex
	// files and parts count what is done as a whole, count the records' objects.
	files, parts, count int
	bytes, objectBytes  int64
}

// proof is what has been shipped, once everything has been.
func (sh *shipment) proof() collection.ShipResult {
	return collection.ShipResult{
		Destination: sh.address(), Files: sh.files, Objects: sh.count, Bytes: sh.bytes,
		ManifestSHA256: sh.delivery.sha256, VerifiedAt: sh.shipper.Clock().UTC(),
	}
}

// file ships one file that the manifest lists.
func (sh *shipment) file(ctx context.Context, file collection.ManifestFile) error {
	body, err := readListed(ctx, sh.shipper.Store, file)
	if err != nil {
		return asLost(sh.submission(), err)
	}
	if sh.to != nil {
		if err := sh.put(ctx, file.Name, typeOf(file.Name), body); err != nil {
			return err
		}
	} else {
		sh.bytes += int64(len(body))
	}
	sh.files++
	sh.carry(ctx)
	return nil
}

func (sh *shipment) submission() string { return sh.delivery.plan.Submission }

func typeOf(name string) string {
	switch path.Ext(name) {
	case ".gz":
		return typeGzip
	case ".csv":
		return typeCSV
	case ".parquet":
		return typeParquet
	}
	return typeJSONLines
}

// put writes an object at the destination, once, and asks the destination what it holds. Another content of before is a
// new generation, never a silent overwrite. Its errors are *destinationError.
func (sh *shipment) put(ctx context.Context, name, contentType string, body []byte) error {
	key := sh.to.folder + name
	_, existing, err := writeGeneration(ctx, sh.to.store, key, body, contentType)
	if err != nil {
		return &destinationError{err}
	}
	if existing != nil {
		warnOfGeneration(ctx, key, existing.Generation)
	}
	return sh.verify(ctx, key, body)
}

func warnOfGeneration(ctx context.Context, key string, generation int) {
	activity.GetLogger(ctx).Warn("the destination held another content; this is the next generation", "key", key, "generation", generation)
}

// verify asks the destination what it holds.
func (sh *shipment) verify(ctx context.Context, key string, body []byte) error {
	info, err := sh.to.store.Head(ctx, key)
	if err != nil {
		return &destinationError{err}
	}
	if want := collection.Digest(body); info.SHA256 != want || info.Size != int64(len(body)) {
		return &destinationError{&collection.ConflictError{Existing: info, SHA256: want}}
	}
	sh.mu.Lock()
	defer sh.mu.Unlock()
	sh.bytes += int64(len(body))
	return nil
}

// proving is a store that knows the digest of every object: where it keeps none itself, the object is read. A destination
// is whatever the customer has, and a delivery that nobody has looked at is not proven.
type proving struct{ Store }

// Head reads the object where the store keeps no checksum.
func (p proving) Head(ctx context.Context, key string) (collection.ObjectInfo, error) {
	info, err := p.Store.Head(ctx, key)
	if err != nil || info.SHA256 != "" {
		return info, err
	}
	body, err := p.Get(ctx, key, maxPart)
	if err != nil {
		return info, err
	}
	info.Size, info.SHA256 = int64(len(body)), collection.Digest(body)
	return info, nil
}
