package config

import (
	"reflect"
	"strings"
)

// EnvPrefix begins the name of every variable that sets a key.
const EnvPrefix = "WEIR_"

// EnvName is the variable that sets a key: WEIR_S3_BUCKET for s3.bucket.
func EnvName(key string) string {
	return EnvPrefix + strings.ToUpper(strings.ReplaceAll(key, ".", "_"))
}

// setting is a key that holds one value and stands in no list: what variables and flags can set.
type setting struct {
	path string
	typ  reflect.Type
}

// settings lists every such key, in the order of the struct fields.
func settings() []setting {
	var list []setting
	for _, k := range knownKeys() {
		if isScalar(k.typ) && !strings.Contains(k.path, "[]") {
			list = append(list, k)
		}
	}
	return list
}

// knownKeys lists every key there is, sections too. Items of lists are written "sources[].name".
// Of the fields within fields only the key that opens them is listed.
func knownKeys() []setting {
	var list []setting
	walkKeys("", reflect.TypeFor[Config](), map[reflect.Type]bool{}, &list)
	return list
}

func walkKeys(path string, t reflect.Type, open map[reflect.Type]bool, list *[]setting) {
	if path != "" {
		*list = append(*list, setting{path: path, typ: t})
	}
	switch {
	case isScalar(t):
	case t.Kind() == reflect.Slice:
		if !isScalar(t.Elem()) {
			walkItem(path+"[]", t.Elem(), open, list)
		}
	case t.Kind() == reflect.Struct:
		walkItem(path, t, open, list)
	}
}

// walkItem lists the keys of a struct, unless it stands within itself.
func walkItem(path string, t reflect.Type, open map[reflect.Type]bool, list *[]setting) {
	if open[t] {
		return
	}
	open[t] = true
	defer delete(open, t)
	for _, f := range fieldsOf(t) {
		walkKeys(join(path, f.key), f.typ, open, list)
	}
}

// structField is a field of a struct that a key sets.
type structField struct {
	key   string
	typ   reflect.Type
	index int
}

func fieldsOf(t reflect.Type) []structField {
	var fields []structField
	for i := range t.NumField() {
		if key := t.Field(i).Tag.Get("mapstructure"); key != "" && key != "-" {
			fields = append(fields, structField{key: key, typ: t.Field(i).Type, index: i})
		}
	}
	return fields
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}
