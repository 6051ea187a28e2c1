package activities

import (
	"context"
	"encoding/json"
	"errors"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/weir-collect/weir/collection"
)

// standing is the manifest that is there when a settlement begins.
type standing struct {
	// there says that something is in the manifest's place, and valid that it is a manifest of the submission.
	there, valid bool
	info         collection.ObjectInfo
	body         []byte
	// manifest is the submission's, if that stands.
	manifest collection.Manifest
	// number is the generation of the manifest that stands, be it the submission's or that of one before under the same id; zero
	// where none does.
	number int
	// kept is the number of the latest generation that is kept beside, where no manifest of the submission stands, and keptFiles are
	// what its manifest names; zero and none where nothing is kept.
	kept      int
	keptFiles []collection.ManifestFile
}

// readStanding reads the manifest of a submission. What is none is no error: it is written over. Where none stands, for instance
// because it was deleted, there may be kept ones of earlier generations, whose files are not written over either.
//
// The manifest of a submission before under the same id is none of this one. It is kept, and the generations are counted on behind
// it, since its customer may verify it at any time; but nothing of it is in the delivery of this one. A plan that does not say when
// it was accepted is of every submission of its id.
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
		m, ok := manifestOf(body, plan.Submission)
		if ok {
			st.number = max(m.Generation, 1)
		}
		if ok && isOfPlan(m, plan) {
			st.manifest, st.valid = m, true
			return st, nil
		}
	}
	st.kept, st.keptFiles, err = readKept(ctx, store, key, plan)
	return st, err
}

// manifestOf says whether a body is a manifest of a submission of that id.
func manifestOf(body []byte, submission string) (collection.Manifest, bool) {
	var m collection.Manifest
	if json.Unmarshal(body, &m) != nil || m.Submission != submission {
		return collection.Manifest{}, false
	}
	return m, true
}

func isOfPlan(m collection.Manifest, plan collection.PlanResult) bool {
	return m.IsOf(plan) || plan.AcceptedAt.IsZero()
}

// readKept is the latest generation of a manifest that is kept beside its place, and what the latest readable one names, if it is
// the submission's.
func readKept(
	ctx context.Context, store Store, key string, plan collection.PlanResult,
) (latest int, files []collection.ManifestFile, err error) {
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
		if m, ok := manifestOf(body, plan.Submission); err == nil && ok {
			if isOfPlan(m, plan) {
				files = m.Files
			}
			return numbers[len(numbers)-1], files, nil
		}
	}
	if len(numbers) > 0 {
		latest = numbers[len(numbers)-1]
	}
	return latest, nil, nil
}

// generation is the number of the latest manifest, whether it stands or is kept; zero when there is none.
func (st standing) generation() int { return max(st.number, st.kept) }

// files are those of the submission that must not be written over.
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
