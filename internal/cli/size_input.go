package cli

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/weir-collect/weir/internal/cli/screen"
	"github.com/weir-collect/weir/internal/sizing"
)

// sizeInput is what a fleet is sized for.
type sizeInput struct {
	params sizing.Params
	// history is what was recorded, or nil.
	history *sizing.History
	// name is what to call the origin of both in an error, and from what a saved sizing calls the origin of arrivals.
	name, from string
	// collects is how many requests one process makes at once, and ceilings how many all sources take; both are known
	// where this installation was read.
	collects, ceilings int
}

// sizeInput reads what the flags name. What is wrong is reported of both files at once.
func (a *app) sizeInput(f *sizeFlags) (sizeInput, error) {
	base := sizing.Default()
	if f.measured || f.arrivals != "" {
		base.Workers = sizing.Range{From: 1} // those of the experiment would not fit
	}
	in := sizeInput{params: base, name: "the experiment", from: sizing.FromParameters}
	var given []string
	var problems []error
	read := func(name string, from func(*os.File) error) {
		if name == "" {
			return
		}
		given = append(given, name)
		problems = append(problems, a.readSizeFile(name, from))
	}
	read(f.params, func(file *os.File) (err error) {
		in.params, err = sizing.ReadParamsOver(base, file)
		return err
	})
	read(f.arrivals, func(file *os.File) (err error) {
		if in.history, err = sizing.ReadHistory(file); err == nil {
			err = in.history.Check()
		}
		return err
	})
	if err := errors.Join(problems...); err != nil {
		return in, usageError{err}
	}
	if len(given) > 0 {
		in.name = strings.Join(given, " with ")
	}
	if in.history == nil {
		return in, nil
	}
	in.from = sizing.FromArrivals
	var err error
	if in.params, err = in.history.AffordableParams(in.params); err != nil {
		return in, usageError{explainProblems(in.name, err)}
	}
	if len(in.history.Services) == 0 {
		a.remarks().Line("%s has no service_minutes, so service times are assumed: %s, of mean %.4g min",
			screen.Clean(f.arrivals), in.params.Service.Shape, in.params.Service.Mean())
	}
	return in, nil
}

func (a *app) readSizeFile(name string, from func(*os.File) error) error {
	path := a.world.path(name)
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return fmt.Errorf("%s is a folder: name a file", screen.Clean(name))
	}
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	return explainProblems(name, from(file))
}

// explainProblems lists what is wrong with an input under its name. The lines quote the input, which strangers may have
// written.
func explainProblems(name string, err error) error {
	var problems sizing.Problems
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &problems):
		return fmt.Errorf("%s: %w", screen.Clean(name), err)
	case len(problems) == 1:
		return fmt.Errorf("%s: %s", screen.Clean(name), screen.Clean(problems[0].Error()))
	}
	lines := []string{fmt.Sprintf("%s has %d problems:", screen.Clean(name), len(problems))}
	for _, one := range problems {
		lines = append(lines, "  "+screen.Clean(one.Error()))
	}
	return errors.New(strings.Join(lines, "\n"))
}
