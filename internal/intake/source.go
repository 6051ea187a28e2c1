package intake

import (
	"fmt"
	"io"
)

// source counts what is read of the file as stored, and remembers why reading
// failed: a decompressor on top may hide the cause behind an error of its own.
type source struct {
	r     io.Reader
	bytes int64
	err   error
}

// Read implements io.Reader. Its errors are final.
func (s *source) Read(p []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	n, err := s.r.Read(p)
	s.bytes += int64(n)
	s.err = err
	return n, err
}

// failure is the error of the medium, or nil while there is none but the end.
func (s *source) failure() error {
	if s.err == io.EOF {
		return nil
	}
	return s.err
}

// limited fails once more than max bytes have come through, which is what stops
// a decompression bomb.
type limited struct {
	r         io.Reader
	left, max int64
}

func limit(r io.Reader, most int64) *limited { return &limited{r: r, left: most, max: most} }

// Read implements io.Reader.
func (l *limited) Read(p []byte) (int, error) {
	if l.left < 0 {
		return 0, l.exceeded()
	}
	// One byte more than is left tells a full file from one that is too large.
	if int64(len(p)) > l.left+1 {
		p = p[:l.left+1]
	}
	n, err := l.r.Read(p)
	l.left -= int64(n)
	if l.left < 0 {
		return n - 1, l.exceeded()
	}
	return n, err
}

func (l *limited) exceeded() error {
	return fmt.Errorf("%w: it has over %d bytes, split it", ErrTooLarge, l.max)
}
