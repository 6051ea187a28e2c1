package workers

import (
	"fmt"
	"strings"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/config"
	"github.com/weir-collect/weir/internal/extract"
)

// asked is a source by one of its fetch methods; the method is empty where it has but one.
type asked struct{ source, method string }

type rulebook map[asked]*extract.Rules

// Rules are a source's compiled parse rules for what a method brings.
func (r rulebook) Rules(source, method string) (*extract.Rules, bool) {
	rules, ok := r[asked{source, method}]
	return rules, ok
}

// learn compiles the rules of a source's methods. What was fetched before the source had methods is read by the first.
func (r rulebook) learn(cfg config.Config, src collection.Source) error {
	names := []string{""}
	for _, m := range src.Methods {
		names = append(names, m.Name)
	}
	for _, method := range names {
		by, _ := src.By(method)
		rules, err := extract.Compile(by.Parse, cfg.SchemaOf(src.Name, method))
		if err != nil {
			return fmt.Errorf("parse rules of source %s: %w", strings.TrimSpace(src.Name+" "+method), err)
		}
		r[asked{src.Name, method}] = rules
	}
	return nil
}
