package config

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"

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
	divideHosts(cfg.Sources)
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
	fillSources(tree)
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
		canonicalRequest(&cfg.Sources[i].Request)
		for j := range cfg.Sources[i].Methods {
			canonicalRequest(&cfg.Sources[i].Methods[j].Request)
		}
	}
	return cfg, err
}
