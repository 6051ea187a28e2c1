package engine

import (
	"fmt"
	"os"
)

// Identity names this process in histories: who to look for at 3 a.m.
func Identity() string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return fmt.Sprintf("weir@%s:%d", host, os.Getpid())
}
