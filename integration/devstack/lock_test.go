package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLockIsHeldUntilReleased(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "folder")
	lock, err := lockFolder(dir)
	require.NoError(t, err)
	_, err = lockFolder(dir)
	require.ErrorContains(t, err, dir)
	require.ErrorContains(t, err, "in use by another devstack (pid ")
	lock.release()
	again, err := lockFolder(dir)
	require.NoError(t, err)
	again.release()
}

func TestLockFileOfADeadProcessIsNoLock(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "devstack.lock"), []byte("4194304999"), 0o644))
	lock, err := lockFolder(dir)
	require.NoError(t, err)
	lock.release()
}

func TestLockingAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o644))
	_, err := lockFolder(file)
	require.ErrorContains(t, err, file)
	require.ErrorContains(t, err, "--data (weir dev: --dir)")
}
