package cli

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/pflag"
)

// printParams writes the parameters that would be sized for as a file for --params, to be edited. It refuses flags that
// ask for an answer.
func (a *app) printParams(flags *pflag.FlagSet, f *sizeFlags) error {
	for _, name := range []string{"arrivals", "from-measured", "save", "charts"} {
		if flags.Changed(name) {
			return usagef("--print-params computes nothing: leave out --%s", name)
		}
	}
	in, err := a.sizeInput(f)
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(in.params, "", "  ")
	if err != nil {
		return fmt.Errorf("print the parameters: %w", err)
	}
	if _, err := a.world.Stdout.Write(append(text, '\n')); err != nil {
		return fmt.Errorf("print the parameters: %w", err)
	}
	return nil
}
