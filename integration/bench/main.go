// Command bench measures weir on this machine: every figure of the documentation comes from it.
//
//	go run ./integration/bench pipeline [--records 1000,5000]
//	go run ./integration/bench fairness [--backlog 10000]
//	go run ./integration/bench ceiling [--latency 500ms]
//	go run ./integration/bench leases [--workers 4]
//	go run ./integration/bench records [--records 200000]
//	go run ./integration/bench intake [--rows 200000]
//	go run ./integration/bench sizing [--seeds 20]
//
// It starts what it needs, prints a table for people and, as its last line, one JSON object. Figures of a shared machine
// are to be compared within one run.
//
// The command must not assert anything about timings.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"sort"
	"strings"
	"syscall"

	"github.com/weir-collect/weir/integration/harness"
)

// benchmarks by name. Each returns what is printed as JSON.
var benchmarks = map[string]func(ctx context.Context, args []string) (any, error){
	"pipeline": pipeline,
	"fairness": fairness,
	"ceiling":  ceiling,
	"leases":   leases,
	"records":  records,
	"intake":   readIntake,
	"sizing":   sizingSweep,
}

func main() {
	harness.Child()
	noopChild()
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) == 0 || benchmarks[args[0]] == nil {
		return fmt.Errorf("name a benchmark: %s", strings.Join(names(), ", "))
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	figures, err := benchmarks[args[0]](ctx, args[1:])
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(figures)
}

func names() []string {
	var list []string
	for name := range benchmarks {
		list = append(list, name)
	}
	sort.Strings(list)
	return list
}
