package objectstore

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
)

// maxSinglePut is what S3 takes in one request.
const maxSinglePut = 5 << 30

// content is what is to be written. It can be read as often as a request is tried.
type content struct {
	body        io.ReadSeeker
	size        int64
	digest      [sha256.Size]byte
	contentType string
}

// sha256 is the digest as weir writes it down.
func (c content) sha256() string { return hex.EncodeToString(c.digest[:]) }

// checksum is the digest as S3 writes it down.
func (c content) checksum() string { return base64.StdEncoding.EncodeToString(c.digest[:]) }

func contentOf(body []byte, contentType string) content {
	return content{
		body:        bytes.NewReader(body),
		size:        int64(len(body)),
		digest:      sha256.Sum256(body),
		contentType: contentType,
	}
}

// contentOfFile reads r once to know its digest, from its start, and leaves it there.
func contentOfFile(ctx context.Context, r io.ReadSeeker, size int64, contentType string) (content, error) {
	if size > maxSinglePut {
		return content{}, fmt.Errorf("the file has %d bytes, more than the %d that one upload may have: split it", size, int64(maxSinglePut))
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return content{}, fmt.Errorf("the file cannot be read from its start: %w", err)
	}
	hash := sha256.New()
	// One byte more than size shows a file that has grown.
	n, err := io.Copy(hash, &cancellable{ctx: ctx, r: io.LimitReader(r, size+1)})
	if err != nil {
		return content{}, fmt.Errorf("the file cannot be read: %w", err)
	}
	if n != size {
		return content{}, fmt.Errorf("the file does not have the %d bytes that were announced: give its true size, and leave it alone while it is uploaded", size)
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return content{}, fmt.Errorf("the file cannot be read from its start: %w", err)
	}
	c := content{body: r, size: size, contentType: contentType}
	hash.Sum(c.digest[:0])
	return c, nil
}

// cancellable lets a long read of a local file end with its context.
type cancellable struct {
	ctx context.Context
	r   io.Reader
}

func (c *cancellable) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}
