package activities

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path"

	"github.com/klauspost/compress/gzip"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/layout"
)

const (
	typeCSV     = "text/csv; charset=utf-8"
	typeParquet = "application/vnd.apache.parquet"
	// maxPart bounds what is read of one part, and maxUnpacked what it may hold: a last document may be as long as any.
	maxPart     = 1 << 30
	maxUnpacked = 1 << 30
)

// stagePart writes the packed documents as the n-th part of what the tables are made of. It has one name, whatever the
// generation of the delivery: what is staged is what was settled last.
func (w *partWriter) stagePart(ctx context.Context, n int) (collection.ManifestFile, error) {
	body := w.zipped.Bytes()
	file := collection.ManifestFile{
		Key: collection.StagedKey(w.plan.Submission, n), Size: int64(len(body)), Records: w.buffered, SHA256: collection.Digest(body),
	}
	file.Name = path.Base(file.Key)
	if err := w.restore(ctx, file.Key, typeGzip, body); err != nil {
		return file, err
	}
	file.VerifiedAt = w.settler.Clock().UTC()
	return file, nil
}

// writeTables makes the delivery of what is staged: once to see all columns, once to write them, one part in memory at a
// time. It depends on nothing but the staged parts, so an attempt that was interrupted here begins again here.
func (w *partWriter) writeTables(ctx context.Context) error {
	survey := layout.NewSurvey(w.layout.Columns, w.layout.Types)
	for _, staged := range w.written {
		documents, err := w.staged(ctx, staged)
		if err != nil {
			return err
		}
		for _, d := range documents {
			survey.See(d)
		}
	}
	table := survey.Table()
	w.files = w.files[:0]
	for i, staged := range w.written {
		documents, err := w.staged(ctx, staged)
		if err != nil {
			return err
		}
		w.buffer.Reset()
		contentType, write := typeCSV, table.CSV
		if w.layout.Format == collection.FormatParquet {
			contentType, write = typeParquet, table.Parquet
		}
		if err := write(&w.buffer, documents); err != nil {
			return err
		}
		file, err := w.writeFile(ctx, w.partKey(i+1), contentType, w.buffer.Bytes(), staged.Records)
		if err != nil {
			return err
		}
		w.files = append(w.files, file)
	}
	w.buffer.Reset()
	return nil
}

// staged are the documents of a staged part, as this settlement wrote them.
func (w *partWriter) staged(ctx context.Context, file collection.ManifestFile) ([]layout.Document, error) {
	lines, err := readPart(ctx, w.settler.Store, file.Key, file.SHA256)
	if errors.Is(err, errOtherContent) || errors.Is(err, collection.ErrObjectMissing) {
		// What is staged is of no use: the next attempt begins at the first document.
		return nil, w.attempt.contested(fmt.Sprintf("read %s: %v", file.Key, err))
	}
	if err != nil {
		return nil, storeFailed(ctx, "read "+file.Key, err)
	}
	documents := make([]layout.Document, len(lines))
	for i, line := range lines {
		if documents[i], err = layout.Decode(line); err != nil {
			return nil, finalf(collection.ReasonInternal, "line %d of %s: %w", i+1, file.Key, err)
		}
	}
	return documents, nil
}

// errOtherContent says that an object is not what was written there.
var errOtherContent = errors.New("the object holds something else than was written")

// readPart is the lines of a part of JSON Lines in gzip. An empty digest is not compared.
func readPart(ctx context.Context, store Store, key, sha256 string) ([][]byte, error) {
	packed, err := store.Get(ctx, key, maxPart)
	if err != nil {
		return nil, err
	}
	if got := collection.Digest(packed); sha256 != "" && got != sha256 {
		return nil, fmt.Errorf("%w: %s has SHA-256 %s instead of %s", errOtherContent, key, got, sha256)
	}
	reader, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", errOtherContent, key, err)
	}
	text, err := io.ReadAll(io.LimitReader(reader, maxUnpacked+1))
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", errOtherContent, key, err)
	}
	if len(text) > maxUnpacked {
		return nil, &collection.TooLargeError{Key: key, Size: int64(len(text)), Limit: maxUnpacked}
	}
	return bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n")), nil
}
