package intake

import (
	"bytes"
	"io"
)

// maxEmptyReads is how often a reader may return nothing before it is given up.
const maxEmptyReads = 100

// window is the part of the text that starts at the current row. It grows only
// when asked, so its callers bound the memory by not asking past their limit.
type window struct {
	r          io.Reader
	buf        []byte
	start, end int
	err        error // final, io.EOF included
}

func newWindow(r io.Reader) *window {
	return &window{r: r, buf: make([]byte, readAhead)}
}

// held is the text read so far, from the current row on. It is valid until the
// next call of more.
func (w *window) held() []byte { return w.buf[w.start:w.end] }

// more reads on. It is false when there is nothing more; failure says why.
func (w *window) more() bool {
	if w.err != nil {
		return false
	}
	if w.end == len(w.buf) {
		w.makeRoom()
	}
	for range maxEmptyReads {
		n, err := w.r.Read(w.buf[w.end:])
		w.end += n
		w.err = err
		if n > 0 || err != nil {
			return n > 0
		}
	}
	w.err = io.ErrNoProgress
	return false
}

// makeRoom moves what is held to the front, or into a larger buffer when it
// fills more than half: moving it again and again would cost quadratic time.
func (w *window) makeRoom() {
	held := w.held()
	to := w.buf
	if len(held) > len(w.buf)/2 {
		to = make([]byte, 2*len(w.buf))
	}
	w.end = copy(to, held)
	w.start, w.buf = 0, to
}

// failure is why more is false, or nil at the regular end of the text.
func (w *window) failure() error {
	if w.err == io.EOF {
		return nil
	}
	return w.err
}

// at is the byte i behind the row's start; ok is false when the text ends
// before it.
func (w *window) at(i int) (b byte, ok bool) {
	for w.end-w.start <= i {
		if !w.more() {
			return 0, false
		}
	}
	return w.buf[w.start+i], true
}

// drop moves the row's start n bytes on.
func (w *window) drop(n int) { w.start += n }

// lineEnd is the length of the line end i behind the row's start: 2 for CR LF.
func (w *window) lineEnd(i int) int {
	if b, _ := w.at(i); b == '\r' {
		if b, ok := w.at(i + 1); ok && b == '\n' {
			return 2
		}
	}
	return 1
}

// skipLine drops the physical line at the row's start without holding it. The
// characters in ends are those that end a line.
func (w *window) skipLine(ends string) {
	for {
		held := w.held()
		if i := bytes.IndexAny(held, ends); i >= 0 {
			w.drop(i)
			w.drop(w.lineEnd(0))
			return
		}
		w.drop(len(held))
		if !w.more() {
			return
		}
	}
}
