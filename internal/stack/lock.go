package stack

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// lockPoll is how often a waiting builder looks whether it is its turn.
const lockPoll = 200 * time.Millisecond

// lock takes the exclusive lock of a file, waiting for whoever has it, and gives the function that releases it. It is a
// lock of the kernel: a killed holder releases it too.
func lock(ctx context.Context, path string, report reporter) (unlock func(), err error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	if err := waitForLock(ctx, file, report); err != nil {
		_ = file.Close()
		return nil, err
	}
	return func() { _ = file.Close() }, nil
}

func waitForLock(ctx context.Context, file *os.File, report reporter) error {
	taken, err := tryLock(file)
	if taken || err != nil {
		return err
	}
	done := report.during(waitingText)
	defer done()
	ticker := time.NewTicker(lockPoll)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s: %w", waitingText, context.Cause(ctx))
		case <-ticker.C:
		}
		if taken, err := tryLock(file); taken || err != nil {
			return err
		}
	}
}

func tryLock(file *os.File) (bool, error) {
	err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("lock %s: %w", file.Name(), err)
	}
	return true, nil
}
