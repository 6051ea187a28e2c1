package activities

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/weir-collect/weir/collection"
)

// A delivery that stands is never written over: who verifies an old manifest finds the files that it names. What a later
// settlement finds changed gets a name of the next generation, and what has not changed keeps the one that it has.

// standing is the manifest that is there when a settlement begins.
type standing struct {
	// there says that something is in the manifest's place, and valid that it is a manifest of the submission.
	there, valid bool
	info         collection.ObjectInfo
	body         []byte
	manifest     collection.Manifest
	// kept is the number of the latest generation that is kept beside, where no manifest stands, and keptFiles are what its
	// manifest names; zero and none where nothing is kept.
	kept      int
	keptFiles []collection.ManifestFile
}

// readStanding reads the manifest of a submission. What is none is no error: it is written over. Where none stands, for instance
// because it was deleted, there may be kept ones of earlier generations, whose files are not written over either.
func readStanding(ctx context.Context, store Store, plan collection.PlanResult) (standing, error) {
	key := collection.ManifestKey(plan.Customer, plan.Submission)
	body, info, err := readWhole(ctx, store, key, maxPlan)
	st := standing{there: true, info: info, body: body}
	switch {
	case errors.Is(err, collection.ErrObjectMissing):
		st = standing{}
	case err != nil:
		return standing{}, storeFailed(ctx, "read "+key, err)
	default:
		if m, ok := manifestOf(body, plan.Submission); ok {
			st.manifest, st.valid = m, true
			return st, nil
		}
	}
	st.kept, st.keptFiles, err = readKept(ctx, store, key, plan.Submission)
	return st, err
}

// manifestOf says whether a body is a manifest of the submission.
func manifestOf(body []byte, submission string) (collection.Manifest, bool) {
	var m collection.Manifest
	if json.Unmarshal(body, &m) != nil || m.Submission != submission {
		return collection.Manifest{}, false
	}
	return m, true
}

// readKept is the latest generation of a manifest that is kept beside its place, and what the latest readable one names.
func readKept(ctx context.Context, store Store, key, submission string) (latest int, files []collection.ManifestFile, err error) {
	stem, extension := strings.TrimSuffix(key, path.Ext(key))+".g", path.Ext(key)
	var numbers []int
	for info, err := range store.List(ctx, stem) {
		if err != nil {
			return 0, nil, storeFailed(ctx, "look for "+stem, err)
		}
		n, err := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(info.Key, stem), extension))
		if err == nil && info.Key == collection.GenerationKey(key, n) {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	for _, n := range slices.Backward(numbers) {
		name := collection.GenerationKey(key, n)
		body, err := store.Get(ctx, name, maxPlan)
		if err != nil && !errors.Is(err, collection.ErrObjectMissing) {
			return 0, nil, storeFailed(ctx, "read "+name, err)
		}
		if m, ok := manifestOf(body, submission); err == nil && ok {
			return numbers[len(numbers)-1], m.Files, nil
		}
	}
	if len(numbers) > 0 {
		latest = numbers[len(numbers)-1]
	}
	return latest, nil, nil
}

// generation is the number of the standing manifest, or of the latest one that is kept; zero when there is none.
func (st standing) generation() int {
	if !st.valid {
		return st.kept
	}
	return max(st.manifest.Generation, 1)
}

// files are those that must not be written over.
func (st standing) files() []collection.ManifestFile {
	if !st.valid {
		return st.keptFiles
	}
	return st.manifest.Files
}

// standingFile is where the same content of a file stands already, whatever generation that is of.
func (st standing) standingFile(key, sha256 string) (string, bool) {
	for _, f := range st.files() {
		if f.SHA256 == sha256 && collection.IsGenerationOf(f.Key, key) {
			return f.Key, true
		}
	}
	return "", false
}

// placeFile writes a file of the delivery and returns its name: where the same content stands, or, in the first generation,
// under its own; else under a name that nobody has used. Two settlements at the same time may make the same generation: what
// one of them has written the other one must not write over, since only one of their manifests will stand.
func (s *Settler) placeFile(ctx context.Context, a *attempt, key, contentType string, body []byte) (string, error) {
	st := s.standing
	if stands, ok := st.standingFile(key, collection.Digest(body)); ok {
		return stands, s.writeOnce(ctx, a, stands, contentType, body)
	}
	if st.generation() == 0 {
		return key, s.writeOnce(ctx, a, key, contentType, body)
	}
	name, err := createFree(ctx, s.Store, key, body, contentType, st.generation()+1)
	if err != nil {
		return "", err
	}
	return name, confirm(ctx, a, s.Store, name, body)
}

// writeManifest writes the manifest and its checksum. A manifest that stands and says the same is kept to the byte: only
// the times of verification could differ. One that says otherwise is kept beside the new one.
func (s *Settler) writeManifest(ctx context.Context, a *attempt, m collection.Manifest) ([]byte, error) {
	st, key := s.standing, collection.ManifestKey(m.Customer, m.Submission)
	m.Generation = st.manifest.Generation
	body := st.body
	if !st.valid || !sameManifest(st.manifest, m) {
		if st.valid {
			if err := s.keepManifest(ctx, a, key); err != nil {
				return nil, err
			}
		}
		if st.generation() > 0 {
			m.Generation = st.generation() + 1
		}
		var err error
		if body, err = json.MarshalIndent(m, "", "  "); err != nil {
			return nil, fmt.Errorf("encode the manifest: %w", err)
		}
		body = append(body, '\n')
		if err := s.swapManifest(ctx, a, key, body); err != nil {
			return nil, err
		}
	}
	if err := s.writeOnce(ctx, a, collection.ManifestSumKey(m.Customer, m.Submission), typeText, sumOf(key, body)); err != nil {
		return nil, err
	}
	if !st.valid {
		return body, nil
	}
	// If another settlement has written its manifest meanwhile, the checksum must be that one's.
	return body, confirm(ctx, a, s.Store, key, body)
}

func sumOf(key string, body []byte) []byte {
	return []byte(sumLine(collection.Digest(body), path.Base(key)))
}

// sumLine is a line that sha256sum -c reads.
func sumLine(sha256, name string) string { return sha256 + "  " + name + "\n" }

// keepManifest keeps the standing manifest and its checksum under names of their generation.
func (s *Settler) keepManifest(ctx context.Context, a *attempt, key string) error {
	kept := collection.GenerationKey(key, s.standing.generation())
	if err := s.writeOnce(ctx, a, kept, typeJSON, s.standing.body); err != nil {
		return err
	}
	sum := collection.GenerationKey(collection.ManifestSumKey(s.standing.manifest.Customer, s.standing.manifest.Submission), s.standing.generation())
	return s.writeOnce(ctx, a, sum, typeText, sumOf(kept, s.standing.body))
}

// swapManifest writes the manifest in the place of the one that stood when the settlement began, and of no other.
func (s *Settler) swapManifest(ctx context.Context, a *attempt, key string, body []byte) error {
	var standing *collection.ObjectInfo
	if s.standing.there {
		standing = &s.standing.info
	}
	return s.written(ctx, a, key, body, swap(ctx, s.Store, key, body, typeJSON, standing))
}

// sameManifest compares all but the times of verification.
func sameManifest(old, m collection.Manifest) bool {
	if len(old.Files) != len(m.Files) {
		return false
	}
	if len(old.Checks) == 0 {
		m.Checks, m.Breaches = nil, 0 // it was settled before there were checks, which alone are no other delivery
	}
	files := append([]collection.ManifestFile(nil), old.Files...)
	for i := range files {
		files[i].VerifiedAt = m.Files[i].VerifiedAt
	}
	old.Files = files
	a, errA := json.Marshal(old)
	b, errB := json.Marshal(m)
	return errA == nil && errB == nil && bytes.Equal(a, b)
}
