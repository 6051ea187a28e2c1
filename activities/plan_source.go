package activities

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"io"
	"path"
	"strings"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/intake"
)

// rowSource is the submitted rows, wherever they are.
type rowSource struct {
	reader *intake.Reader
	body   io.Closer
	name   string
	// digest is the hex SHA-256 of the submitted bytes or records, once the rows have been read.
	digest func(context.Context) (string, error)
}

func (s rowSource) close() {
	if s.body != nil {
		s.body.Close()
	}
}

func (p *Planner) open(ctx context.Context, in collection.PlanInput, beat *planBeat) (rowSource, error) {
	if in.Request.Upload == "" {
		return inlineRows(in.Request)
	}
	key := in.Request.Upload
	if !strings.HasPrefix(key, collection.UploadPrefix(in.Request.Customer)) {
		return rowSource{}, finalf(collection.ReasonSubmissionInvalid,
			"upload %s is not customer %s's: its key must start with %s",
			key, in.Request.Customer, collection.UploadPrefix(in.Request.Customer))
	}
	body, info, err := p.Store.Open(ctx, key)
	if errors.Is(err, collection.ErrObjectMissing) {
		return rowSource{}, finalf(collection.ReasonUploadMissing,
			"there is no file %s in the bucket: upload it, then submit again", key)
	}
	if errors.Is(err, collection.ErrUnclearKey) {
		return rowSource{}, finalf(collection.ReasonSubmissionInvalid,
			"%q cannot be an upload: its key must have at most 1024 bytes of UTF-8, and no part between slashes that is empty, '.' or '..'",
			collection.Clip(key, collection.MaxKeyShown))
	}
	if err != nil {
		return rowSource{}, storeFailed(ctx, "open the submitted file", err)
	}
	watched := beat.watching(body)
	content, digest := watched, given(info.SHA256)
	if info.SHA256 == "" {
		// The store keeps none, for instance because the file was uploaded by others in parts.
		sum := sha256.New()
		content = io.TeeReader(watched, sum)
		digest = func(ctx context.Context) (string, error) {
			rest, err := hashAll(sum, watched)
			if err != nil {
				return "", storeFailed(ctx, "read "+key, err)
			}
			return rest, nil
		}
	}
	reader, err := intake.Open(content, intake.Options{Name: path.Base(key), Format: in.Request.Format})
	if err != nil {
		body.Close()
		return rowSource{}, unreadable(ctx, key, err)
	}
	return rowSource{reader: reader, body: body, name: key, digest: digest}, nil
}

// given is a digest that is known without reading.
func given(sum string) func(context.Context) (string, error) {
	return func(context.Context) (string, error) { return sum, nil }
}

func inlineRows(in collection.SubmissionInput) (rowSource, error) {
	// A record may be written over several lines in the input, but a row is one line.
	var b strings.Builder
	for i, r := range in.Records {
		line, err := json.Marshal(r)
		if err != nil {
			return rowSource{}, finalf(collection.ReasonSubmissionInvalid, "records[%d] is not JSON: %w", i, err)
		}
		b.Write(line)
		b.WriteByte('\n')
	}
	reader, err := intake.Open(strings.NewReader(b.String()), intake.Options{Name: "records", Format: "jsonl"})
	if err != nil {
		return rowSource{}, finalf(collection.ReasonSubmissionInvalid, "the records cannot be read: %w", err)
	}
	sum, err := recordsDigest(in)
	return rowSource{reader: reader, name: "records", digest: given(sum)}, err
}

// unreadable tells a file that is broken, which no retry heals, from a store that stopped answering in the middle.
func unreadable(ctx context.Context, name string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var file *intake.FileError
	if errors.As(err, &file) && file.ReadFailed {
		return storeFailed(ctx, "read "+name, err)
	}
	return finalf(collection.ReasonUploadUnreadable, "the file %s cannot be read: %w", name, err)
}
