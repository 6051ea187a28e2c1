//go:build faultinjection

package faults

import (
	"os"
	"strings"
	"syscall"
)

// Strike does to a stage and record what the variable WEIR_FAULT says of them: "panic STAGE RECORD" panics, "kill STAGE
// RECORD" ends the process as kill -9 does.
func Strike(stage, record string) {
	fault := strings.Fields(os.Getenv("WEIR_FAULT"))
	if len(fault) != 3 || fault[1] != stage || fault[2] != record {
		return
	}
	switch fault[0] {
	case "panic":
		panic("a poison record")
	case "kill":
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	}
}
