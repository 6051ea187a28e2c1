package activities

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/weir-collect/weir/collection"
)

// A delivery that stands is never written over: who verifies an old manifest finds the files that it names. What a later
// settlement finds changed gets a name of the next generation, and what has not changed keeps the one that it has.
//
// Nor does a settlement know that no other one is at work: an attempt that the engine holds to be lost may still reach the
// store, when its successor has long written its manifest. So none relies on what it has read at its beginning. A name that holds
// another content is passed over; only what the standing manifest itself names is put right, and only while it stands.

// writeFile writes one file of the delivery, proves that it is there, and says what the manifest lists of it. key is its name in the
// first generation.
func (s *settlement) writeFile(
	ctx context.Context, key, contentType string, body []byte, records int,
) (collection.ManifestFile, error) {
	key, err := s.placeFile(ctx, key, contentType, body)
	if err != nil {
		return collection.ManifestFile{}, err
	}
	return collection.ManifestFile{
		Key: key, Name: path.Base(key), Size: int64(len(body)), Records: records, SHA256: collection.Digest(body),
		VerifiedAt: s.settler.Clock().UTC(),
	}, nil
}

// placeFile writes a file of the delivery and returns its name: where the same content stands, or, in the first generation,
// under its own if that is free; else under a name that nobody has used. Two settlements at the same time may make the same
// generation: what one of them has written the other one must not write over, since only one of their manifests will stand.
func (s *settlement) placeFile(ctx context.Context, key, contentType string, body []byte) (string, error) {
	if stands, ok := s.standing.standingFile(key, collection.Digest(body)); ok {
		return stands, s.restore(ctx, stands, contentType, body)
	}
	name, err := s.createUnused(ctx, key, contentType, body)
	if err != nil {
		return "", err
	}
	return name, confirm(ctx, s.attempt, s.settler.Store, name, body)
}

// createUnused writes a file under the first name that nobody has used for another content: the same content comes to the same
// name again.
func (s *settlement) createUnused(ctx context.Context, key, contentType string, body []byte) (string, error) {
	next := s.standing.generation() + 1
	if next > 1 {
		return createFree(ctx, s.settler.Store, key, body, contentType, next)
	}
	_, err := s.settler.Store.Create(ctx, key, body, contentType)
	var taken *collection.ConflictError
	if errors.As(err, &taken) {
		return createFree(ctx, s.settler.Store, key, body, contentType, next+1)
	}
	if err != nil {
		return "", storeFailed(ctx, "write "+key, err)
	}
	return key, nil
}

// restore writes an object that belongs to the delivery as it stands: a file that the manifest names, or what a table is made
// of. Another content is replaced, but not when another settlement has written its manifest since this one began: then it may be
// that one's.
func (s *settlement) restore(ctx context.Context, key, contentType string, body []byte) error {
	_, err := s.settler.Store.Create(ctx, key, body, contentType)
	var other *collection.ConflictError
	if errors.As(err, &other) {
		// What is replaced is what was seen before the look at the manifest.
		if err := s.standsStill(ctx); err != nil {
			return err
		}
		_, err = s.settler.Store.Replace(ctx, key, body, contentType, other.Existing)
	}
	return s.proveWritten(ctx, key, body, err)
}

// standsStill makes sure that the manifest is the one that stood when the settlement began.
func (s *settlement) standsStill(ctx context.Context) error {
	key := collection.ManifestKey(s.plan.Customer, s.plan.Submission)
	info, err := s.settler.Store.Head(ctx, key)
	missing := errors.Is(err, collection.ErrObjectMissing)
	switch {
	case err != nil && !missing:
		return storeFailed(ctx, "look at "+key, err)
	case missing == s.standing.there, !missing && info.ETag != s.standing.info.ETag:
		return s.attempt.contested(key + " is not what stood there when the settlement began: somebody else writes the delivery")
	}
	return nil
}

// proveWritten is what came of a write, whose error is given. One that somebody else's has crossed is contested, so that the next
// attempt looks again; one that went through is verified.
func (s *settlement) proveWritten(ctx context.Context, key string, body []byte, err error) error {
	var conflict *collection.ConflictError
	if errors.As(err, &conflict) {
		return s.attempt.contested(conflict.Error())
	}
	if err != nil {
		return storeFailed(ctx, "write "+key, err)
	}
	return confirm(ctx, s.attempt, s.settler.Store, key, body)
}

// writeManifest writes the manifest and its checksum. A manifest that stands and says the same is kept to the byte: only
// the times of verification could differ. One that says otherwise is kept beside the new one.
func (s *settlement) writeManifest(ctx context.Context, m collection.Manifest) ([]byte, error) {
	st, key := s.standing, collection.ManifestKey(m.Customer, m.Submission)
	body := st.body
	if !st.saysOf(m) {
		if st.number > 0 {
			if err := s.keepManifest(ctx, key); err != nil {
				return nil, err
			}
		}
		if m.Generation = 0; st.generation() > 0 {
			m.Generation = st.generation() + 1
		}
		var err error
		if body, err = json.MarshalIndent(m, "", "  "); err != nil {
			return nil, fmt.Errorf("encode the manifest: %w", err)
		}
		body = append(body, '\n')
		if err := s.swapManifest(ctx, key, body); err != nil {
			return nil, err
		}
	}
	return body, s.writeSum(ctx, body)
}

// keepManifest keeps the standing manifest and its checksum under names of their generation.
func (s *settlement) keepManifest(ctx context.Context, key string) error {
	body := s.standing.body
	kept, err := createFree(ctx, s.settler.Store, key, body, typeJSON, s.standing.number)
	if err != nil {
		return err
	}
	if err := confirm(ctx, s.attempt, s.settler.Store, kept, body); err != nil {
		return err
	}
	extension := path.Ext(collection.ManifestSumKey(s.plan.Customer, s.plan.Submission))
	return s.restore(ctx, strings.TrimSuffix(kept, path.Ext(kept))+extension, typeText, sumOf(kept, body))
}

// swapManifest writes the manifest in the place of the one that stood when the settlement began, and of no other.
func (s *settlement) swapManifest(ctx context.Context, key string, body []byte) error {
	var standing *collection.ObjectInfo
	if s.standing.there {
		standing = &s.standing.info
	}
	return s.proveWritten(ctx, key, body, swap(ctx, s.settler.Store, key, body, typeJSON, standing))
}

// saysOf says whether the standing manifest tells of the delivery that m tells of.
func (st standing) saysOf(m collection.Manifest) bool {
	return st.valid && sameDelivered(st.manifest, m)
}

// sameDelivered compares all but the times of verification, the generation, and the checks, which depend on more than the delivery:
// on what the ledger tells besides, for as long as it is kept, and on other submissions.
func sameDelivered(old, m collection.Manifest) bool {
	if len(old.Files) != len(m.Files) {
		return false
	}
	files := append([]collection.ManifestFile(nil), old.Files...)
	for i := range files {
		files[i].VerifiedAt = m.Files[i].VerifiedAt
	}
	old.Files, old.Generation, m.Generation = files, 0, 0
	old.Checks, old.Breaches, m.Checks, m.Breaches = nil, 0, nil, 0
	a, errA := json.Marshal(old)
	b, errB := json.Marshal(m)
	return errA == nil && errB == nil && bytes.Equal(a, b)
}
