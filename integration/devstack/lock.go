package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// folderLock keeps a second devstack off the same data folder. It is a lock of the kernel, not the presence of a file,
// so a killed process leaves nothing to clean up.
type folderLock struct{ file *os.File }

// lockFolder creates the data folder if it is missing and locks it.
func lockFolder(dir string) (*folderLock, error) {
	if err := os.MkdirAll(dir, ownerOnly); err != nil {
		return nil, folderError(dir, err)
	}
	f, err := os.OpenFile(filepath.Join(dir, "devstack.lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, folderError(dir, err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		holder := pidIn(f)
		_ = f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, fmt.Errorf("data folder %s is in use by another devstack%s: stop it or choose another folder with --data (weir dev: --dir)", dir, holder)
		}
		return nil, folderError(dir, err)
	}
	if err := writePID(f); err != nil {
		_ = f.Close()
		return nil, folderError(dir, err)
	}
	return &folderLock{file: f}, nil
}

func (l *folderLock) release() { _ = l.file.Close() }

// writePID records the holder, for the message of whoever comes second.
func writePID(f *os.File) error {
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, err := f.WriteAt([]byte(strconv.Itoa(os.Getpid())), 0)
	return err
}

func pidIn(f *os.File) string {
	buf := make([]byte, 20)
	n, _ := f.ReadAt(buf, 0)
	pid, err := strconv.Atoi(strings.TrimSpace(string(buf[:n])))
	if err != nil {
		return ""
	}
	return fmt.Sprintf(" (pid %d)", pid)
}

func folderError(dir string, err error) error {
	return fmt.Errorf("data folder %s cannot be used (%w): make it a writable folder or choose another with --data (weir dev: --dir)", dir, err)
}
