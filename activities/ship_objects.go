package activities

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/weir-collect/weir/collection"
)

// shipAhead is how many records' objects are shipped at the same time.
const shipAhead = 16

// objects ships every delivered record's own object. The parts hold these to the byte, one a line, so that nothing but
// what the manifest counts is shipped, and weir's bucket is not asked for every object.
func (sh *shipment) objects(ctx context.Context) error {
	booked, err := sh.booked(ctx)
	if err != nil {
		return err
	}
	parts := sh.delivery.parts()
	for _, part := range parts[min(sh.parts, len(parts)):] {
		lines, err := sh.linesOf(ctx, part)
		if err != nil {
			return err
		}
		if booked != nil {
			if err := booked.check(ctx, part.Key, lines); err != nil {
				return err
			}
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

// linesOf are the documents of a part, as many as the manifest says.
func (sh *shipment) linesOf(ctx context.Context, part collection.ManifestFile) ([][]byte, error) {
	lines, err := readPart(ctx, sh.shipper.Store, part.Key, part.SHA256)
	if err == nil && len(lines) != part.Records {
		err = fmt.Errorf("%w: %d documents instead of %d", errOtherContent, len(lines), part.Records)
	}
	if errors.Is(err, collection.ErrObjectMissing) || errors.Is(err, errOtherContent) {
		return nil, lost(sh.submission(), notAsSettled, part.Key, err)
	}
	if err != nil {
		return nil, storeFailed(ctx, "read "+part.Key, err)
	}
	return lines, nil
}

const notAsSettled = "%s is not in weir's bucket as it was settled (%w)"

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
