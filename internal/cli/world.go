package cli

import (
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"
)

// World is what the program knows of the process that it runs in.
type World struct {
	// Args are the arguments, without the program's name.
	Args           []string
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// Env looks up an environment variable.
	Env func(name string) (string, bool)
	// Dir is the folder in which relative file names begin.
	Dir string
	// Signals carries the signals that ask the program to stop. Nil never does.
	Signals <-chan os.Signal
	// Now is the clock.
	Now func() time.Time
	// Exit ends the process at once: for the second signal.
	Exit func(code int)
}

// System is the real world.
func System() World {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	return World{
		Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Env: os.LookupEnv, Dir: ".",
		Signals: signals, Now: time.Now, Exit: os.Exit,
	}
}

// path is a file as the caller of the program named it.
func (w World) path(name string) string {
	if name == "" || filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(w.Dir, name)
}

// env is a variable, empty where it is not set.
func (w World) env(name string) string {
	value, _ := w.Env(name)
	return value
}
