package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weir-collect/weir/config"
	"github.com/weir-collect/weir/starter"
)

// noDeadLetters says that there are none, and whether that may be for a name that is misspelled. Dead letters are looked for
// first: those of a source or a customer that was taken out of the configuration are there still.
func (a *app) noDeadLetters(filter starter.DeadFilter, cfg config.Config, then string) error {
	sources, customers := make([]string, len(cfg.Sources)), make([]string, len(cfg.Customers))
	for i, s := range cfg.Sources {
		sources[i] = s.Name
	}
	for i, c := range cfg.Customers {
		customers[i] = c.Name
	}
	var strange []string
	for _, name := range filter.Select.Sources {
		strange = append(strange, stranger("source", name, sources)...)
	}
	strange = append(strange, stranger("customer", filter.Customer, customers)...)
	if len(strange) > 0 {
		return fmt.Errorf("no dead letters%s, and the configuration has %s: %w", then, strings.Join(strange, ", and "), starter.ErrNotFound)
	}
	a.remarks().Line("no dead letters%s", then)
	return nil
}

// stranger is what is to be said of a name that is none of names, with those that it may have been meant as. Where nothing of
// the kind is configured, nothing is: who only operates needs no customers.
func stranger(kind, name string, names []string) []string {
	if name == "" || len(names) == 0 || slices.Contains(names, name) {
		return nil
	}
	text := fmt.Sprintf("no %s %q", kind, name)
	if near := config.Nearest(name, names); near != "" {
		return []string{text + ": did you mean " + near + "?"}
	}
	return []string{text + list("; it has ", names)}
}
