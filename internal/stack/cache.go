package stack

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	binaryPrefix   = "devstack-"
	buildingPrefix = "building-"
	// keptBinaries is how many builds stay: the current one, and that of the branch one came from.
	keptBinaries = 2
)

// cache is a folder of built binaries, named by the hash of their sources.
type cache struct{ dir string }

func openCache(dir string) (cache, error) {
	if dir == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return cache{}, fmt.Errorf("keep the built stack: %w", err)
		}
		dir = filepath.Join(user, "weir")
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return cache{}, fmt.Errorf("keep the built stack: %w", err)
	}
	return cache{dir: dir}, nil
}

func (c cache) lockFile() string          { return filepath.Join(c.dir, "build.lock") }
func (c cache) binary(hash string) string { return filepath.Join(c.dir, binaryPrefix+hash) }

// get finds a binary and marks it as used, so that prune removes the ones that nobody uses.
func (c cache) get(hash string) (string, bool) {
	path := c.binary(hash)
	if _, err := os.Stat(path); err != nil {
		return "", false
	}
	now := time.Now()
	_ = os.Chtimes(path, now, now) // a read-only cache serves as well
	return path, true
}

// put stores what build writes to the path that it is given, under its final name only once it is whole. The caller holds
// the lock.
func (c cache) put(hash string, build func(path string) error) (string, error) {
	if err := c.removeLeftovers(); err != nil {
		return "", err
	}
	// A folder of its own: the compiler of a killed builder may still be at work in another one.
	building, err := os.MkdirTemp(c.dir, buildingPrefix)
	if err != nil {
		return "", fmt.Errorf("keep the built stack: %w", err)
	}
	defer os.RemoveAll(building)
	built := filepath.Join(building, "devstack")
	if err := build(built); err != nil {
		return "", err
	}
	path := c.binary(hash)
	if err := os.Rename(built, path); err != nil {
		return "", fmt.Errorf("keep the built stack: %w", err)
	}
	return path, c.prune()
}

// removeLeftovers removes what killed builders left behind.
func (c cache) removeLeftovers() error {
	left, err := filepath.Glob(filepath.Join(c.dir, buildingPrefix+"*"))
	if err != nil {
		return fmt.Errorf("remove unfinished builds of the stack: %w", err)
	}
	for _, path := range left {
		if err := os.RemoveAll(path); err != nil {
			return fmt.Errorf("remove unfinished builds of the stack: %w", err)
		}
	}
	return nil
}

// prune removes all but the binaries used last. A process that runs a removed one keeps running.
func (c cache) prune() error {
	entries, err := os.ReadDir(c.dir)
	if err != nil {
		return fmt.Errorf("remove old builds of the stack: %w", err)
	}
	type built struct {
		path string
		used time.Time
	}
	var all []built
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil || !strings.HasPrefix(entry.Name(), binaryPrefix) {
			continue
		}
		all = append(all, built{filepath.Join(c.dir, entry.Name()), info.ModTime()})
	}
	slices.SortFunc(all, func(a, b built) int { return cmp.Or(b.used.Compare(a.used), cmp.Compare(a.path, b.path)) })
	for _, old := range all[min(keptBinaries, len(all)):] {
		if err := os.Remove(old.path); err != nil {
			return fmt.Errorf("remove old builds of the stack: %w", err)
		}
	}
	return nil
}
