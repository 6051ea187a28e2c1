package stack

import (
	"bytes"
	"sync"
)

const (
	// maxLine bounds what is kept of a line that does not end.
	maxLine = 64 << 10
	// keptLines is how many lines a tail remembers.
	keptLines = 50
)

// lineSplitter is a writer that hands on whole lines, without their ends.
type lineSplitter struct {
	line    func(string)
	partial []byte
}

func (l *lineSplitter) Write(b []byte) (int, error) {
	written := len(b)
	for {
		end := bytes.IndexByte(b, '\n')
		if end < 0 {
			l.partial = append(l.partial, b[:min(len(b), maxLine-min(maxLine, len(l.partial)))]...)
			return written, nil
		}
		l.line(string(bytes.TrimRight(append(l.partial, b[:end]...), "\r")))
		l.partial, b = l.partial[:0], b[end+1:]
	}
}

// flush hands on a last line that has no end.
func (l *lineSplitter) flush() {
	if len(l.partial) > 0 {
		l.line(string(l.partial))
		l.partial = nil
	}
}

// tail is a writer that remembers the last lines written to it. It is safe for concurrent use.
type tail struct {
	mu       sync.Mutex
	splitter lineSplitter
	lines    []string
}

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.splitter.line = t.keep
	return t.splitter.Write(b)
}

func (t *tail) keep(line string) {
	if line == "" {
		return
	}
	if len(t.lines) == keptLines {
		t.lines = append(t.lines[:0], t.lines[1:]...)
	}
	t.lines = append(t.lines, line)
}

// last gives the last n lines, an unfinished one included.
func (t *tail) last(n int) []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.splitter.line = t.keep
	t.splitter.flush()
	return append([]string(nil), t.lines[max(0, len(t.lines)-n):]...)
}
