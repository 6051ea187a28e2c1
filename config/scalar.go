package config

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"
)

var (
	secretType   = reflect.TypeFor[Secret]()
	durationType = reflect.TypeFor[time.Duration]()
)

// isScalar says whether a key of this type holds one value, which variables and flags can set as well.
func isScalar(t reflect.Type) bool {
	if t == secretType {
		return true
	}
	switch t.Kind() {
	case reflect.Pointer:
		return isScalar(t.Elem())
	case reflect.String, reflect.Bool, reflect.Int, reflect.Int64, reflect.Float64:
		return true
	}
	return false
}

// parseScalar reads a value as it is written in a file, a variable or a flag. The error says what to write; it does not
// hold the text.
func parseScalar(text string, t reflect.Type) (any, error) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t == secretType:
		if text == "" {
			return Secret{}, nil
		}
		return ParseSecret(text)
	case t == durationType:
		if d, err := time.ParseDuration(text); err == nil {
			return d, nil
		}
		return nil, errors.New("write a duration with its unit, for instance 500ms, 30s, 5m or 24h")
	case t.Kind() == reflect.Int64:
		// The only whole numbers of 64 bits in a configuration are sizes.
		return parseSize(text)
	case t.Kind() == reflect.Int:
		if n, err := strconv.Atoi(text); err == nil {
			return n, nil
		}
		return nil, errors.New("write a whole number")
	case t.Kind() == reflect.Float64:
		if f, err := strconv.ParseFloat(text, 64); err == nil {
			return f, nil
		}
		return nil, errors.New("write a number")
	case t.Kind() == reflect.Bool:
		switch strings.ToLower(text) {
		case "true":
			return true, nil
		case "false":
			return false, nil
		}
		return nil, errors.New("write true or false")
	case t.Kind() == reflect.String:
		return text, nil
	}
	return nil, fmt.Errorf("a key of type %s cannot be read from text", t)
}

// scalarText is a value as a person would write it; parseScalar reads it back.
func scalarText(v reflect.Value) string {
	switch x := v.Interface().(type) {
	case time.Duration:
		return durationText(x)
	case int64:
		return sizeText(x)
	case float64:
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	return fmt.Sprint(v.Interface())
}

// durationText writes 24h where the standard library writes 24h0m0s.
func durationText(d time.Duration) string {
	text := d.String()
	if cut, ok := strings.CutSuffix(text, "m0s"); ok {
		text = cut + "m"
	}
	if cut, ok := strings.CutSuffix(text, "h0m"); ok {
		text = cut + "h"
	}
	return text
}
