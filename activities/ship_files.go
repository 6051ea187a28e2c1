package activities

import (
	"context"
	"errors"
	"fmt"
	"path"
	"sync"

	"go.temporal.io/sdk/activity"
	"golang.org/x/sync/errgroup"

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
	body, err := sh.shipper.readFile(ctx, sh.submission(), file)
	if err != nil {
		return err
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

// shipAhead is how many records' objects are shipped at the same time.
const shipAhead = 16

// objects ships every delivered record's own object. The parts hold these to the byte, one a line, so that nothing but
// what the manifest counts is shipped, and weir's bucket is not asked for every object.
func (sh *shipment) objects(ctx context.Context) error {
	parts := sh.delivery.parts()
	for _, part := range parts[min(sh.parts, len(parts)):] {
		lines, err := readPart(ctx, sh.shipper.Store, part.Key, part.SHA256)
		if err == nil && len(lines) != part.Records {
			err = fmt.Errorf("%w: %d documents instead of %d", errOtherContent, len(lines), part.Records)
		}
		if errors.Is(err, collection.ErrObjectMissing) || errors.Is(err, errOtherContent) {
			return lost(sh.submission(), "%s is not in weir's bucket as it was settled (%w)", part.Key, err)
		}
		if err != nil {
			return storeFailed(ctx, "read "+part.Key, err)
		}
		if err := sh.documents(ctx, part.Key, lines); err != nil {
			return err
		}
		sh.parts++
		sh.count += len(lines)
		for _, line := range lines {
			sh.objectBytes += int64(len(line))
		}
		sh.carry(ctx)
	}
	return nil
}

func (sh *shipment) documents(ctx context.Context, part string, lines [][]byte) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(shipAhead)
	for _, line := range lines {
		group.Go(func() error {
			record, err := recordOf(line)
			if err != nil {
				return lost(sh.submission(), "%s (%w)", part, err)
			}
			return sh.put(ctx, "records/"+record+".json", typeJSON, line)
		})
	}
	return group.Wait()
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
		activity.GetLogger(ctx).Warn("the destination held another content; this is the next generation",
			"key", key, "generation", existing.Generation)
	}
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
