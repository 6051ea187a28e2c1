package activities

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path"

	"github.com/weir-collect/weir/collection"
)

// maxSum bounds what is read of a checksum, in bytes.
const maxSum = 4 << 10

// writeSum writes the checksum of the manifest that stands, whoever has written that, until the two agree. body is the manifest
// of this settlement: where another one stands, the checksum is that one's, and the next attempt looks at what it says.
//
// Everybody who has written a manifest comes here behind it. The checksum is replaced only if it is what it was before the manifest
// was read, so whoever comes late, with a manifest that was replaced meanwhile, finds that somebody was here, and looks again.
func (s *settlement) writeSum(ctx context.Context, body []byte) error {
	key := collection.ManifestKey(s.plan.Customer, s.plan.Submission)
	sum := collection.ManifestSumKey(s.plan.Customer, s.plan.Submission)
	for range mergeTries {
		stands, there, err := readSum(ctx, s.settler.Store, sum)
		if err != nil {
			return err
		}
		manifest, _, err := readWhole(ctx, s.settler.Store, key, maxPlan)
		switch {
		case errors.Is(err, collection.ErrObjectMissing):
			return s.attempt.contested(key + " is not there any more: somebody else writes it")
		case err != nil:
			return storeFailed(ctx, "read "+key, err)
		}
		want := sumOf(key, manifest)
		if there != nil && bytes.Equal(stands, want) {
			return s.isOurs(key, manifest, body)
		}
		var crossed *collection.ConflictError
		err = unlessCrossed(ctx, "write "+sum, swap(ctx, s.settler.Store, sum, want, typeText, there))
		if err != nil && !errors.As(err, &crossed) {
			return err
		}
	}
	return transient(collection.ReasonStoreUnavailable, 0, collection.AttemptFailure{
		Detail: fmt.Sprintf("%s and %s do not agree: somebody else writes them all the time", key, sum)}, nil)
}

// readSum is the checksum that stands, and the object that holds it; no object where there is none. What is too large to be one is
// none, and replaced.
func readSum(ctx context.Context, store Store, key string) ([]byte, *collection.ObjectInfo, error) {
	body, info, err := readWhole(ctx, store, key, maxSum)
	var large *collection.TooLargeError
	switch {
	case errors.Is(err, collection.ErrObjectMissing):
		return nil, nil, nil
	case errors.As(err, &large):
		return nil, &info, nil
	case err != nil:
		return nil, nil, storeFailed(ctx, "read "+key, err)
	}
	return body, &info, nil
}

// isOurs is an error where another manifest stands than the one of this settlement.
func (s *settlement) isOurs(key string, stands, body []byte) error {
	if bytes.Equal(stands, body) {
		return nil
	}
	return s.attempt.contested(fmt.Sprintf("%s holds a manifest with SHA-256 %s instead of ours with %s: somebody else writes it",
		key, collection.Digest(stands), collection.Digest(body)))
}

func sumOf(key string, body []byte) []byte {
	return []byte(sumLine(collection.Digest(body), path.Base(key)))
}

// sumLine is a line that sha256sum -c reads.
func sumLine(sha256, name string) string { return sha256 + "  " + name + "\n" }
