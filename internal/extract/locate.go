package extract

import (
	"slices"
	"strings"

	"github.com/andybalholm/cascadia"

	"github.com/weir-collect/weir/collection"
)

// The keys of the rules that say where a value stands.
const (
	keyCSS       = "css"
	keyJSONLD    = "json_ld"
	keyMicrodata = "microdata"
	keyJQ        = "jq"
	keyColumn    = "column"
)

// fitting are the keys that each kind of document knows.
var fitting = map[documentKind][]string{
	kindHTML: {keyCSS, keyJSONLD, keyMicrodata},
	kindJSON: {keyJQ},
	kindCSV:  {keyColumn},
}

// located are the locators that a field sets, in the order of the rule language.
func located(f collection.Field) []string {
	var keys []string
	for _, l := range []struct{ key, value string }{
		{keyCSS, f.CSS}, {keyJSONLD, f.JSONLD}, {keyMicrodata, f.Microdata}, {keyJQ, f.JQ}, {keyColumn, f.Column},
	} {
		if l.value != "" {
			keys = append(keys, l.key)
		}
	}
	return keys
}

// locator compiles the one locator of a field and gives its key. Inside an object the key must be the object's own.
func (c *compiler) locator(path string, f collection.Field, parent string) (locator, string) {
	keys := located(f)
	isObject := fieldType(f.Type) == typeObject
	if c.kind == kindCSV && isObject {
		return c.row(path, keys, parent)
	}
	allowed := fitting[c.kind]
	if parent != "" {
		allowed = []string{parent}
	}
	if len(keys) != 1 {
		if len(keys) == 0 {
			c.report(path, "says not where its value stands; set %s", oneOf(allowed))
		} else {
			c.report(path, "sets %s; keep one of them", strings.Join(keys, " and "))
		}
		return nil, ""
	}
	key := keys[0]
	switch {
	case parent != "" && key != parent:
		c.report(path+"."+key, "does not fit inside an object that is found by %s; use %s here, too", parent, parent)
	case allowed != nil && !slices.Contains(allowed, key):
		c.report(path+"."+key, "does not fit type %q; use %s", c.kind, oneOf(allowed))
	}
	if f.Attribute != "" && key != keyCSS {
		c.report(path+".attribute", "is set without css; only elements have attributes")
	}
	switch key {
	case keyCSS:
		return c.css(path, f, parent, isObject), key
	case keyColumn:
		c.columns = append(c.columns, clean(f.Column))
		return columnLocator{name: clean(f.Column)}, key
	default:
		return c.jq(path, key, f, isObject), key
	}
}

// row is the locator of an object in a CSV document.
func (c *compiler) row(path string, keys []string, parent string) (locator, string) {
	if len(keys) > 0 {
		c.report(path+"."+keys[0], "is set on an object in a CSV document, which is a row; set column on its fields")
	}
	if parent != "" {
		c.report(path, "is an object inside a row; a row has only columns")
	}
	return rowLocator{}, keyColumn
}

func (c *compiler) css(path string, f collection.Field, parent string, container bool) locator {
	l := cssLocator{source: f.CSS, attribute: f.Attribute, container: container}
	if strings.TrimSpace(f.CSS) == scope {
		if parent == "" {
			c.report(path+".css", "is %q outside an object; there is no element that it could mean", scope)
		}
		return l
	}
	selector, err := cascadia.ParseGroup(f.CSS)
	if err != nil {
		c.report(path+".css", "is not a CSS selector: %v", err)
	}
	l.selector, l.siblings, l.tags = selector, siblingPasses(f.CSS), matchedTags(selector)
	return l
}

func (c *compiler) jq(path, key string, f collection.Field, container bool) locator {
	source := map[string]string{keyJSONLD: f.JSONLD, keyMicrodata: f.Microdata, keyJQ: f.JQ}[key]
	code, err := compileJQ(source)
	if err != nil {
		c.report(path+"."+key, "%v", err)
	}
	return jqLocator{key: key, source: source, code: code, container: container}
}

func oneOf(keys []string) string {
	if len(keys) == 0 {
		return "one locator"
	}
	last := len(keys) - 1
	if last == 0 {
		return keys[0]
	}
	return strings.Join(keys[:last], ", ") + " or " + keys[last]
}
