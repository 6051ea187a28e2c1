package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"

	"github.com/go-viper/mapstructure/v2"
	"github.com/spf13/pflag"
	"github.com/spf13/viper"

	"github.com/weir-collect/weir/collection"
)

// Options is everything that Load may know of the world.
type Options struct {
	// File is the configuration file. If it is named, it must exist.
	File string
	// Dir is where weir.yaml is looked for if no File is named; there need not be one. Empty means no file at all.
	Dir string
	// Env looks up an environment variable, as os.LookupEnv does. Nil means an empty environment.
	Env func(name string) (string, bool)
	// Flags are the program's flags, parsed; those that Bind has bound to keys count.
	Flags *pflag.FlagSet
	// CPUs is the default of worker.parse_slots.
	CPUs int
	// Version of the program, for the default of user_agent.
	Version string
	// CheckParse says what is wrong with a source's parse rules; schema is the content of its schema file, or nil. Each error
	// of a join is reported by itself, and at its key if it begins with one, as in "fields[0].css is not a selector". Nil leaves
	// the rules unchecked.
	CheckParse func(parse collection.Parse, schema []byte) error
	// ReadFile reads the configuration file and schema files; os.ReadFile when nil.
	ReadFile func(name string) ([]byte, error)
}

// Load puts a configuration together: defaults, then the file, then WEIR_ variables, then flags. Everything that is wrong
// with it comes back as one *InvalidError; a file that cannot be read at all, as an error that names it.
func Load(opts Options) (Config, error) {
	if opts.Env == nil {
		opts.Env = func(string) (string, bool) { return "", false }
	}
	if opts.ReadFile == nil {
		opts.ReadFile = os.ReadFile
	}
	name, content, err := readConfigFile(opts)
	if err != nil {
		return Config{}, err
	}
	p := newProblems(filepath.Base(name))
	cfg, err := assemble(opts, fileLayer(content, p), p)
	if err != nil {
		return Config{}, fmt.Errorf("configuration %s: %w", name, err)
	}
	if name != "" {
		cfg.dir = filepath.Dir(name)
	}
	cfg.readSchemas(opts.ReadFile, p)
	cfg.check(p)
	cfg.checkParsing(opts.CheckParse, p)
	if err := p.err(); err != nil {
		return Config{}, err
	}
	cfg.index = NewIndex(cfg.Sources, cfg.Customers)
	return cfg, nil
}

// fileLayer is what the file says, in values of the right types.
func fileLayer(content []byte, p *problems) map[string]any {
	root := parseYAML(content, p)
	if root == nil {
		return map[string]any{}
	}
	value, _ := reader{problems: p}.value("", root, reflect.TypeFor[Config]())
	tree, ok := value.(map[string]any)
	if !ok {
		return map[string]any{}
	}
	fillList(tree, "sources", sourceDefaults)
	fillList(tree, "customers", customerDefaults)
	return tree
}

// assemble lays the layers over each other. They hold values of the right types, so decoding converts nothing.
func assemble(opts Options, file map[string]any, p *problems) (Config, error) {
	v := viper.New()
	for key, value := range defaults(opts) {
		v.SetDefault(key, value)
	}
	if err := v.MergeConfigMap(file); err != nil {
		return Config{}, err
	}
	// The later one wins.
	for _, o := range append(envOverrides(opts, p), flagOverrides(opts, p)...) {
		v.Set(o.path, o.value)
	}
	var cfg Config
	err := v.Unmarshal(&cfg, func(d *mapstructure.DecoderConfig) {
		d.WeaklyTypedInput = false
		d.ErrorUnused = true
		d.DecodeHook = nil
	})
	for i := range cfg.Sources {
		request := &cfg.Sources[i].Request
		request.Headers = canonicalHeaders(request.Headers)
		request.SecretHeaders = canonicalHeaders(request.SecretHeaders)
	}
	return cfg, err
}

// readSchemas reads the schema files that sources name.
func (c *Config) readSchemas(readFile func(string) ([]byte, error), p *problems) {
	c.schemas = map[string][]byte{}
	for i, s := range c.Sources {
		if s.Parse.Schema == "" {
			continue
		}
		path := fmt.Sprintf("sources[%d].parse.schema", i)
		content, err := readFile(c.Path(s.Parse.Schema))
		if err != nil {
			p.unreadable(path, shown(s.Parse.Schema), "name a file that can be read, relative to the configuration file: "+err.Error())
			continue
		}
		c.schemas[s.Name] = content
	}
}

// checkParsing hands every source's parse rules to the check that knows them.
func (c *Config) checkParsing(check func(collection.Parse, []byte) error, p *problems) {
	if check == nil {
		return
	}
	for i, s := range c.Sources {
		path := fmt.Sprintf("sources[%d].parse", i)
		if p.concerns(path) {
			continue // what is known to be wrong would be said twice
		}
		for _, err := range split(check(s.Parse, c.schemas[s.Name])) {
			if m := ruleKeyPattern.FindStringSubmatch(err.Error()); m != nil {
				p.add(join(path, m[1]), "", m[2])
			} else {
				p.add(path, "", err.Error())
			}
		}
	}
}

// ruleKeyPattern is a key within parse, and what is said of it.
var ruleKeyPattern = regexp.MustCompile(`(?s)^((?:type|schema|fields)[a-z_.0-9\[\]]*):? (.+)$`)

// split takes a join of errors apart. An error that says more than those it wraps stays whole.
func split(err error) []error {
	if err == nil {
		return nil
	}
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	var all []error
	for _, e := range joined.Unwrap() {
		all = append(all, split(e)...)
	}
	if errors.Join(all...).Error() != err.Error() {
		return []error{err}
	}
	return all
}
