package main

import (
	"io/fs"
	"os"
)

// ownerOnly is the mode of what is kept: histories, submitted files, captured pages.
const ownerOnly fs.FileMode = 0o700

// keptFolder makes a folder of the data folder. One that an earlier devstack left open to everybody is closed: all in it is
// behind it.
func keptFolder(path string) error {
	if err := os.MkdirAll(path, ownerOnly); err != nil {
		return err
	}
	return os.Chmod(path, ownerOnly)
}
