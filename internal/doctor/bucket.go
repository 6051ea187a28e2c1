package doctor

import (
	"context"
	"errors"
	"fmt"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/objectstore"
)

// reachable is the first of the bucket's checks: the only one that says that it cannot be reached.
func (x *exam) reachable(context.Context) []Finding {
	if _, err := x.bucket(); err != nil {
		return []Finding{fail(err.Error(), "mend this first: nothing that needs the bucket could be looked at")}
	}
	return []Finding{fine("%s answers, and lets us in", x.Config.S3.Bucket)}
}

// prefix is where trial objects are written.
const prefix = "doctor/"

const textType = "text/plain"

// clearObject removes a trial object, and adds a finding where that is not possible.
func clearObject(ctx context.Context, b Bucket, key string, found *[]Finding) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), clearTime)
	defer cancel()
	if err := b.Delete(ctx, []string{key}); err != nil {
		*found = append(*found, warn(fmt.Sprintf("%s could not be removed: %v", key, err),
			"allow s3:DeleteObject, which sweeping old objects needs as well, and remove it"))
	}
}

const otherStore = "use a store that does conditional writes (If-None-Match, If-Match): two workers that do the same would overwrite each other"

// conditionalWrites tries what deliveries rely on: an object is never overwritten by accident.
func (x *exam) conditionalWrites(ctx context.Context, b Bucket) (found []Finding) {
	key := prefix + x.Unique()
	info, err := b.Create(ctx, key, []byte("first"), textType)
	if err != nil {
		return []Finding{fail(err.Error(), "allow s3:PutObject and s3:GetObject, with If-None-Match, in the bucket")}
	}
	defer func() { clearObject(ctx, b, key, &found) }()
	if _, err := b.Create(ctx, key, []byte("first"), textType); err != nil {
		found = append(found, fail(fmt.Sprintf("writing the same again is not the same: %v", err), otherStore))
	}
	if _, err := b.Create(ctx, key, []byte("second"), textType); !conflicts(err) {
		found = append(found, fail("an object was overwritten that must not be: "+outcome(err), otherStore))
	}
	stale := info
	stale.ETag, stale.SHA256 = `"00000000000000000000000000000000"`, ""
	if _, err := b.Replace(ctx, key, []byte("third"), textType, stale); !conflicts(err) {
		found = append(found, fail("an object was replaced that had changed meanwhile: "+outcome(err), otherStore))
	}
	if len(found) == 0 {
		found = append(found, fine("an object that exists is not overwritten, and only the known one is replaced"))
	}
	return found
}

func conflicts(err error) bool {
	var conflict *collection.ConflictError
	return errors.As(err, &conflict)
}

func outcome(err error) string {
	if err == nil {
		return "the bucket took it"
	}
	return err.Error()
}

// checksums tries whether the bucket itself vouches for what it keeps.
func (x *exam) checksums(ctx context.Context, b Bucket) (found []Finding) {
	key, content := prefix+x.Unique(), []byte("weir")
	if _, err := b.Create(ctx, key, content, textType); err != nil {
		return []Finding{fail(err.Error(), "allow s3:PutObject in the bucket")}
	}
	defer func() { clearObject(ctx, b, key, &found) }()
	info, err := b.Head(ctx, key)
	switch {
	case err != nil:
		return []Finding{fail(err.Error(), "allow s3:GetObject in the bucket")}
	case info.SHA256 == "":
		return []Finding{warn("the bucket keeps no SHA-256 of an object",
			"use a store that keeps checksums: until then a delivery is verified by reading it again, or by its size")}
	case info.SHA256 != collection.Digest(content):
		return []Finding{fail("the bucket tells another SHA-256 than what was written has", "do not use this store: it does not keep what it is given")}
	}
	return []Finding{fine("the bucket keeps an object's SHA-256, and tells it")}
}

// lifecycle looks at whether objects can expire by themselves.
func lifecycle(ctx context.Context, b Bucket) []Finding {
	ours, foreign, err := b.Expiries(ctx)
	switch {
	case errors.Is(err, objectstore.ErrNoLifecycle):
		// Rules are a second net: what is kept no longer is deleted by weir itself, which the check owner and the sweep look after.
		return []Finding{fine("the store knows no lifecycle rules; the janitor deletes every night what is kept no longer: see weir retention")}
	case err != nil:
		return []Finding{warn(fmt.Sprintf("the lifecycle rules cannot be seen from here: %v", err), "allow s3:GetLifecycleConfiguration")}
	}
	return []Finding{fine("supported, with %s of weir's and %s of others", collection.Plural(len(ours), "rule"), collection.Plural(foreign, "rule"))}
}
