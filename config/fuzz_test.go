package config

import (
	"errors"
	"os"
	"strings"
	"testing"
)

// FuzzLoad: whatever the file holds, Load ends, with a configuration that is valid and readable again or with problems that
// each say where and what.
func FuzzLoad(f *testing.F) {
	if example, err := os.ReadFile(exampleFile); err == nil {
		f.Add(string(example))
	}
	for _, seed := range []string{
		minimal, "a: &a {<<: *a}", "s3: &x {<<: [*x, {bucket: a}]}", "sources: [&s {parse: {fields: &f [*s, {fields: *f}]}}]",
		"? {a: b}\n: c", "? [a]\n: c", "1: 2\ntrue: 3", "sources:\n- <<: 3", "s3: !!binary aGk=", "%YAML 1.2\n---\ns3: {}", "<<: {s3: {bucket: aaa}}",
		"*a : b", "s3: {? &k bucket : a, *k : b}", "\xff\xfe", "s3: {bucket: \"\\0\"}",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		cfg, err := loadText(text)
		if err != nil {
			var invalid *InvalidError
			if !errors.As(err, &invalid) || len(invalid.Problems) == 0 {
				t.Fatalf("not a list of problems: %v", err)
			}
			for _, p := range invalid.Problems {
				if p.Message == "" || p.Path == "" && p.Origin == "" {
					t.Fatalf("a problem says too little: %#v", p)
				}
			}
			return
		}
		if err := cfg.Validate(); err != nil {
			t.Fatalf("Load let through what Validate refuses: %v", err)
		}
		rendered, err := cfg.YAML()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := loadText(string(rendered)); err != nil && !strings.Contains(err.Error(), "schema") {
			t.Fatalf("its own YAML is refused: %v\n%s", err, rendered)
		}
	})
}
