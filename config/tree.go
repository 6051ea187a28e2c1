package config

import (
	"fmt"
	"reflect"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/weir-collect/weir/collection"
)

// reader turns the tree of a file into values of the types that Config has, and reports every key that does not exist and
// every value of another kind. viper alone would pass over both: it ignores case, drops what it does not know and
// takes a bare 30 for 30 nanoseconds.
type reader struct{ problems *problems }

// value reads one node. ok is false if nothing is there, or nothing that can be used.
func (r reader) value(path string, n *yaml.Node, t reflect.Type) (value any, ok bool) {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" {
		return nil, false
	}
	switch {
	case isScalar(t):
		return r.scalar(path, n, t)
	case t.Kind() == reflect.Slice:
		return r.list(path, n, t)
	case t == querySecretsType:
		return r.parameters(path, n)
	case t.Kind() == reflect.Map:
		return r.headers(path, n)
	default:
		return r.section(path, n, t)
	}
}

func (r reader) scalar(path string, n *yaml.Node, t reflect.Type) (any, bool) {
	if n.Kind != yaml.ScalarNode {
		r.problems.unreadable(path, "", "write one value here, not "+kindName(n))
		return nil, false
	}
	value, err := parseScalar(n.Value, t)
	if err != nil {
		found := shown(n.Value)
		if t == secretType {
			found = ""
		}
		r.problems.unreadable(path, found, err.Error())
		return nil, false
	}
	return value, true
}

func (r reader) list(path string, n *yaml.Node, t reflect.Type) (any, bool) {
	if n.Kind != yaml.SequenceNode {
		r.problems.unreadable(path, "", "write a list here, one item a line with a - before it, not "+kindName(n))
		return nil, false
	}
	items := make([]any, len(n.Content))
	for i, item := range n.Content {
		at := fmt.Sprintf("%s[%d]", path, i)
		r.problems.found(at, item.Line)
		value, ok := r.value(at, item, t.Elem())
		if !ok {
			// The item keeps its place, so that the paths of those behind it stay true.
			r.problems.unreadable(at, "", "this item is empty: write it, or take its - away")
			value = emptyItem(t.Elem())
		}
		items[i] = value
	}
	return items, true
}

func emptyItem(t reflect.Type) any {
	if t.Kind() == reflect.Struct {
		return map[string]any{}
	}
	return reflect.Zero(t).Interface()
}

func (r reader) section(path string, n *yaml.Node, t reflect.Type) (any, bool) {
	if n.Kind != yaml.MappingNode {
		r.problems.unreadable(path, "", "write keys with values here, not "+kindName(n))
		return nil, false
	}
	fields := fieldsOf(t)
	var siblings []string
	known := map[string]reflect.Type{}
	for _, f := range fields {
		siblings = append(siblings, f.key)
		known[f.key] = f.typ
	}
	section := map[string]any{}
	for _, pair := range pairs(n) {
		at := join(path, pair.key.Value)
		r.problems.found(at, pair.key.Line)
		typ, exists := known[pair.key.Value]
		if !exists {
			r.problems.add(at, "", unknownKey(at, pair.key.Value, siblings))
			continue
		}
		if value, ok := r.value(at, pair.value, typ); ok {
			section[pair.key.Value] = value
		}
	}
	return section, true
}

// headers reads a map of header names. Header names ignore case, and so does the check that a name stands there once.
func (r reader) headers(path string, n *yaml.Node) (any, bool) {
	if n.Kind != yaml.MappingNode {
		r.problems.unreadable(path, "", "write header names with values here, not "+kindName(n))
		return nil, false
	}
	section, seen := map[string]any{}, map[string]bool{}
	for _, pair := range pairs(n) {
		name := pair.key.Value
		at := join(path, headerName(name))
		r.problems.found(at, pair.key.Line)
		if seen[strings.ToLower(name)] {
			r.problems.add(at, "", "this header is given twice, and names of headers ignore case: keep one")
			continue
		}
		seen[strings.ToLower(name)] = true
		if value, ok := r.value(at, pair.value, reflect.TypeFor[string]()); ok {
			section[name] = value
		}
	}
	return section, true
}

var querySecretsType = reflect.TypeFor[collection.QuerySecrets]()

// parameters reads a map of a query's names, whose case counts: in a type that viper leaves alone.
func (r reader) parameters(path string, n *yaml.Node) (any, bool) {
	if n.Kind != yaml.MappingNode {
		r.problems.unreadable(path, "", "write names of parameters with references here, not "+kindName(n))
		return nil, false
	}
	secrets := collection.QuerySecrets{}
	for _, pair := range pairs(n) {
		at := join(path, pair.key.Value)
		r.problems.found(at, pair.key.Line)
		if value, ok := r.value(at, pair.value, reflect.TypeFor[string]()); ok {
			secrets[pair.key.Value] = value.(string)
		}
	}
	return secrets, true
}

// pair is a key of a section and its value.
type pair struct{ key, value *yaml.Node }

// pairs lists the keys of a section: its own, then those that it takes over with <<, which do not replace its own.
func pairs(n *yaml.Node) []pair {
	var own, merged []pair
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.Kind == yaml.AliasNode {
			key = key.Alias
		}
		if key.ShortTag() == "!!merge" {
			merged = append(merged, mergedPairs(value)...)
			continue
		}
		seen[key.Value] = true
		own = append(own, pair{key, value})
	}
	for _, p := range merged {
		if !seen[p.key.Value] {
			seen[p.key.Value] = true
			own = append(own, p)
		}
	}
	return own
}

func mergedPairs(n *yaml.Node) []pair {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if n.Kind == yaml.MappingNode {
		return pairs(n)
	}
	var all []pair
	for _, item := range n.Content {
		all = append(all, mergedPairs(item)...)
	}
	return all
}

func kindName(n *yaml.Node) string {
	switch n.Kind {
	case yaml.SequenceNode:
		return "a list"
	case yaml.MappingNode:
		return "a section with keys"
	default:
		return "a single value"
	}
}
