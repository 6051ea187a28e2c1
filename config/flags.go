package config

import (
	"fmt"
	"slices"

	"github.com/spf13/pflag"
)

// keyAnnotation marks a flag as one that sets a key.
const keyAnnotation = "weir.config.key"

// Bind makes flags of a set override keys: names maps the name of each flag to the path of its key, for instance
// {"bucket": "s3.bucket"}. A flag counts only if the caller of the program gave it; its default is for show. Load reads
// the flags of Options.Flags that were bound. A flag or a key that does not exist is an error of the program.
func Bind(flags *pflag.FlagSet, names map[string]string) error {
	known := settings()
	for name, key := range names {
		if flags.Lookup(name) == nil {
			return fmt.Errorf("flag --%s for key %s is not defined: define it before binding it", name, key)
		}
		if !slices.ContainsFunc(known, func(s setting) bool { return s.path == key }) {
			return fmt.Errorf("flag --%s: there is no key %s that a flag can set", name, key)
		}
		if err := flags.SetAnnotation(name, keyAnnotation, []string{key}); err != nil {
			return fmt.Errorf("flag --%s for key %s: %w", name, key, err)
		}
	}
	return nil
}

// override is a value that stands above the file: of a variable or of a flag.
type override struct {
	path  string
	value any
}

// envOverrides reads the variables that set keys. An empty variable counts as one that is not set, since that is what
// container files leave behind. Other variables that begin with WEIR_ are not looked at: container platforms make up such
// names themselves for a service that is called weir.
func envOverrides(opts Options, p *problems) []override {
	var list []override
	for _, s := range settings() {
		name := EnvName(s.path)
		if text, ok := opts.Env(name); ok && text != "" {
			list = addOverride(list, s, text, name, p)
		}
	}
	return list
}

// flagOverrides reads the flags that set keys.
func flagOverrides(opts Options, p *problems) []override {
	if opts.Flags == nil {
		return nil
	}
	types := map[string]setting{}
	for _, s := range settings() {
		types[s.path] = s
	}
	var list []override
	opts.Flags.VisitAll(func(f *pflag.Flag) {
		if keys := f.Annotations[keyAnnotation]; len(keys) == 1 && f.Changed {
			list = addOverride(list, types[keys[0]], f.Value.String(), "--"+f.Name, p)
		}
	})
	return list
}

func addOverride(list []override, s setting, text, origin string, p *problems) []override {
	p.origins[s.path] = origin
	value, err := parseScalar(text, s.typ)
	if err != nil {
		found := shown(text)
		if s.typ == secretType {
			found = ""
		}
		p.unreadable(s.path, found, err.Error())
		return list
	}
	return append(list, override{path: s.path, value: value})
}
