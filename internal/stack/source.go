package stack

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// rootModule is the module whose clone contains the stack's sources.
const rootModule = "github.com/weir-collect/weir"

// ErrNoSource says that the stack's sources are not at hand, so that it cannot be built.
var ErrNoSource = errors.New("the sources of the embedded stack are not here: run inside a clone of weir, or give a built one with --devstack BINARY")

// FindSource finds the sources of the embedded stack in the clone of weir around the working directory. The error is
// ErrNoSource when there is none.
func FindSource() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("find the sources of the embedded stack: %w", err)
	}
	return findSource(dir)
}

func findSource(dir string) (string, error) {
	for {
		if content, err := os.ReadFile(filepath.Join(dir, "go.mod")); err == nil && moduleOf(content) == rootModule {
			source := filepath.Join(dir, "integration", "devstack")
			if _, err := os.Stat(filepath.Join(source, "go.mod")); err != nil {
				return "", fmt.Errorf("%w (%s has no go.mod)", ErrNoSource, source)
			}
			return source, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", ErrNoSource
		}
		dir = parent
	}
}

// moduleOf is the module path that a go.mod declares, or nothing.
func moduleOf(gomod []byte) string {
	for line := range strings.Lines(string(gomod)) {
		if path, ok := strings.CutPrefix(strings.TrimSpace(line), "module "); ok {
			path, _, _ = strings.Cut(path, "//")
			return strings.Trim(strings.TrimSpace(path), `"`)
		}
	}
	return ""
}

// sourceHash names a build: whatever changes the binary changes the hash. Tests are left out, since editing one should
// not cost a build that takes minutes.
func sourceHash(source string) (string, error) {
	sum := sha256.New()
	fmt.Fprintf(sum, "%s %s/%s\n", runtime.Version(), runtime.GOOS, runtime.GOARCH)
	// WalkDir visits in lexical order, and so the hash does not depend on the file system.
	err := filepath.WalkDir(source, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if entry.Name() == "testdata" {
				return fs.SkipDir
			}
			return nil
		}
		if !isSource(entry.Name()) {
			return nil
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(source, path)
		if err != nil {
			return err
		}
		// The length keeps the end of one file and the start of the next apart.
		fmt.Fprintf(sum, "%s %d\n", filepath.ToSlash(name), len(content))
		sum.Write(content)
		return nil
	})
	if err != nil {
		return "", fmt.Errorf("read the sources of the embedded stack: %w", err)
	}
	return hex.EncodeToString(sum.Sum(nil))[:16], nil
}

func isSource(name string) bool {
	if name == "go.mod" || name == "go.sum" {
		return true
	}
	return strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go")
}
