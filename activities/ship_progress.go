package activities

import (
	"context"
	"errors"

	"go.temporal.io/sdk/activity"

	"github.com/weir-collect/weir/collection"
)

// resume takes over what the attempts before have brought and verified of this delivery to this place. Every file of it is
// asked for once more: where one is not as it was, the place has changed, and everything is shipped anew.
func (sh *shipment) resume(ctx context.Context) error {
	before := sh.attempt.snapshot().Ship
	files := sh.delivery.manifest.Files
	if before == nil || before.ManifestSHA256 != sh.delivery.sha256 || before.Destination != sh.address() || before.Files > len(files) {
		return nil
	}
	for _, file := range files[:before.Files] {
		there, err := sh.has(ctx, file)
		if err != nil {
			return err
		}
		if !there {
			sh.files, sh.bytes = 0, 0
			return nil
		}
		sh.files++
		sh.bytes += file.Size
	}
	if sh.to != nil && sh.to.Objects {
		sh.parts, sh.count, sh.bytes = before.Parts, before.Objects, sh.bytes+before.ObjectBytes
		sh.objectBytes = before.ObjectBytes
	}
	return nil
}

// has says whether a file is where it is shipped to, as the manifest says, without reading it.
func (sh *shipment) has(ctx context.Context, file collection.ManifestFile) (bool, error) {
	store, key := sh.shipper.Store, file.Key
	if sh.to != nil {
		store, key = sh.to.store, sh.to.folder+file.Name
	}
	info, err := store.Head(ctx, key)
	switch {
	case errors.Is(err, collection.ErrObjectMissing):
		return false, nil
	case err != nil && sh.to != nil:
		return false, &destinationError{err}
	case err != nil:
		return false, storeFailed(ctx, "look at "+key, err)
	}
	return info.SHA256 == file.SHA256 && info.Size == file.Size, nil
}

// carry hands what is done to the next attempt.
func (sh *shipment) carry(ctx context.Context) {
	progress := &collection.ShipProgress{
		Destination: sh.address(), ManifestSHA256: sh.delivery.sha256, Files: sh.files,
		Parts: sh.parts, Objects: sh.count, ObjectBytes: sh.objectBytes,
	}
	sh.attempt.update(func(p *collection.AttemptProgress) { p.Ship = progress })
	activity.RecordHeartbeat(ctx, sh.attempt.snapshot())
}

// address is where the delivery goes; empty where it is only checked.
func (sh *shipment) address() string {
	if sh.to == nil {
		return ""
	}
	return sh.to.address()
}
