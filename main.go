// Package main is the weir program.
package main

import (
	"os"

	"github.com/weir-collect/weir/internal/cli"
)

func main() { os.Exit(cli.Main(cli.System())) }
