package config

import (
	"fmt"
	"reflect"

	"go.yaml.in/yaml/v3"

	"github.com/weir-collect/weir/collection"
)

// YAML writes the configuration as a file that Load reads as the same configuration: what is in force once every layer is
// put together. Keys that were not set and have no default are left out. Secrets are written as references; it is an error if
// a secret of a request or a credential is not one.
func (c Config) YAML() ([]byte, error) {
	if err := c.checkReferences(); err != nil {
		return nil, err
	}
	out, err := yaml.Marshal(render(reflect.ValueOf(c)))
	if err != nil {
		return nil, fmt.Errorf("write the configuration as YAML: %w", err)
	}
	return out, nil
}

// checkReferences looks at every text that must be a reference.
func (c Config) checkReferences() error {
	for i, e := range c.Egresses {
		for _, credential := range credentialsOf(e) {
			if err := CheckReference(credential.reference); err != nil {
				return fmt.Errorf("egresses[%d].%s: %w", i, credential.key, err)
			}
		}
	}
	for i, customer := range c.Customers {
		if err := checkDestinationReferences(customer.Destination, fmt.Sprintf("customers[%d].destination", i)); err != nil {
			return err
		}
	}
	for i, s := range c.Sources {
		path := fmt.Sprintf("sources[%d]", i)
		if err := checkRequestReferences(s.Request, path); err != nil {
			return err
		}
		for j, m := range s.Methods {
			if err := checkRequestReferences(m.Request, fmt.Sprintf("%s.methods[%d]", path, j)); err != nil {
				return err
			}
		}
	}
	return nil
}

func checkRequestReferences(r collection.Request, path string) error {
	for name, ref := range r.SecretHeaders {
		if err := CheckReference(ref); err != nil {
			return fmt.Errorf("%s.request.secret_headers.%s: %w", path, name, err)
		}
	}
	for name, ref := range r.SecretQuery {
		if err := CheckReference(ref); err != nil {
			return fmt.Errorf("%s.request.secret_query.%s: %w", path, name, err)
		}
	}
	return nil
}

// render makes a node of a value, nil where nothing is set.
func render(v reflect.Value) *yaml.Node {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return nil
		}
		v = v.Elem()
	}
	if isScalar(v.Type()) {
		return renderScalar(v)
	}
	switch v.Kind() {
	case reflect.Slice:
		return renderList(v)
	case reflect.Map:
		return renderTexts(v.Convert(textsType).Interface().(map[string]string))
	default:
		return renderSection(v)
	}
}

func renderScalar(v reflect.Value) *yaml.Node {
	n := &yaml.Node{}
	switch v.Kind() {
	case reflect.String:
		n.SetString(v.String())
		// Quotes keep texts such as 010 and yes from being anything else, here and in other readers.
		n.Style |= yaml.DoubleQuotedStyle
	case reflect.Struct:
		if v.IsZero() {
			return nil
		}
		n.SetString(scalarText(v))
	default:
		n.Kind, n.Value = yaml.ScalarNode, scalarText(v)
	}
	return n
}

func renderList(v reflect.Value) *yaml.Node {
	if v.Len() == 0 {
		return nil
	}
	n := &yaml.Node{Kind: yaml.SequenceNode}
	for i := range v.Len() {
		n.Content = append(n.Content, render(v.Index(i)))
	}
	return n
}

var textsType = reflect.TypeFor[map[string]string]()

func renderTexts(texts map[string]string) *yaml.Node {
	if len(texts) == 0 {
		return nil
	}
	n := &yaml.Node{}
	// Encoding a map of texts cannot fail, and sorts them.
	_ = n.Encode(texts)
	return n
}

func renderSection(v reflect.Value) *yaml.Node {
	n := &yaml.Node{Kind: yaml.MappingNode}
	for _, f := range fieldsOf(v.Type()) {
		field := v.Field(f.index)
		// An empty text means "not set" everywhere but here.
		if field.Kind() == reflect.String && field.Len() == 0 && f.key != "metrics_address" {
			continue
		}
		if value := render(field); value != nil {
			n.Content = append(n.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: f.key}, value)
		}
	}
	if len(n.Content) == 0 {
		return nil
	}
	return n
}
