package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/weir-collect/weir/internal/cli/screen"
	"github.com/weir-collect/weir/internal/intake"
)

// submitted is a file to be submitted, which can be read twice.
type submitted struct {
	file *os.File
	name string
	// spooled says that the file is a copy, which is ours to remove.
	spooled bool
}

// openSubmitted opens the file that the caller named. What cannot be read twice, stdin or a pipe, is copied first.
func openSubmitted(w World, name, format string) (submitted, error) {
	if name == "-" {
		base := "stdin"
		if format != "" {
			base += "." + format
		}
		return spool(w.Stdin, base, maxSpooled)
	}
	file, err := os.Open(w.path(name))
	if err != nil {
		return submitted{}, usageError{err}
	}
	info, err := file.Stat()
	if err == nil && info.IsDir() {
		err = usagef("%s is a folder: name a file", name)
	}
	if err != nil {
		_ = file.Close()
		return submitted{}, err
	}
	if info.Mode().IsRegular() {
		return submitted{file: file, name: filepath.Base(name)}, nil
	}
	defer file.Close()
	return spool(file, filepath.Base(name), maxSpooled)
}

// maxSpooled bounds what is copied, in bytes: more than that no file of records may have even when it is unpacked.
const maxSpooled = intake.DefaultMaxDecoded

// spool copies what can be read once, up to most bytes.
func spool(r io.Reader, name string, most int64) (submitted, error) {
	file, err := os.CreateTemp("", "weir-submit-*")
	if err != nil {
		return submitted{}, fmt.Errorf("keep what is read from %s: %w", name, err)
	}
	s := submitted{file: file, name: name, spooled: true}
	n, err := io.Copy(file, io.LimitReader(r, most+1))
	if err == nil && n > most {
		err = usagef("it is larger than %s, and no submission may be: split it", screen.Size(most))
	}
	if err != nil {
		s.close()
		return submitted{}, fmt.Errorf("keep what is read from %s: %w", name, err)
	}
	return s, nil
}

func (s submitted) close() {
	_ = s.file.Close() // it was only read
	if s.spooled {
		_ = os.Remove(s.file.Name())
	}
}
