package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/weir-collect/weir/internal/cli/screen"
	"github.com/weir-collect/weir/internal/sizing"
)

// checkSave finds out before seconds of computing whether there is a folder to save in.
func (a *app) checkSave(name string) error {
	if name == "" {
		return nil
	}
	path := a.world.path(name)
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return usagef("--save %s is a folder: name a file", screen.Clean(name))
	}
	if _, err := os.Stat(filepath.Dir(path)); err != nil {
		return usagef("--save %s: there is no such folder", screen.Clean(name))
	}
	return nil
}

func (a *app) writeSizing(name string, kept sizing.Assumed) error {
	var text bytes.Buffer
	if _, err := kept.WriteTo(&text); err != nil {
		return err
	}
	if err := os.WriteFile(a.world.path(name), text.Bytes(), 0o644); err != nil {
		return fmt.Errorf("save the sizing: %w", err)
	}
	return nil
}
