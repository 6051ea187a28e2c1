package extract

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/itchyny/gojq"
)

// maxOutputs is how many values an expression may give.
const maxOutputs = 10_000

// jqLocator finds values in JSON: in a JSON document, or in the items of a page.
type jqLocator struct {
	key    string // the rule's key: "jq", "json_ld" or "microdata"
	source string
	code   *gojq.Code
	// container says that the values are objects of which only parts are taken.
	container bool
}

// String is the key and the expression.
func (l jqLocator) String() string { return l.key + " " + l.source }

func (l jqLocator) find(in spot, limit int, rd *reader) ([]hit, error) {
	value, err := l.subject(in, rd)
	if err != nil {
		return nil, err
	}
	outputs, err := l.run(value, limit, rd)
	if err != nil {
		return nil, err
	}
	hits := make([]hit, 0, len(outputs))
	for _, out := range outputs {
		elements, isArray := out.([]any)
		if limit == 1 || !isArray {
			elements = []any{out}
		}
		for _, e := range elements {
			hits = append(hits, hit{value: e, inner: spot{value: e}})
		}
	}
	return hits, nil
}

// subject is what the expression runs over.
func (l jqLocator) subject(in spot, rd *reader) (any, error) {
	switch {
	case in.page == nil:
		return in.value, nil
	case l.key == keyJSONLD:
		return in.page.jsonLD(rd)
	default:
		return in.page.microdataItems(rd)
	}
}

// run gives the first outputs of the expression.
func (l jqLocator) run(value any, limit int, rd *reader) ([]any, error) {
	iter := l.code.RunWithContext(&stepBound{left: maxSteps, rd: rd}, value)
	var outputs []any
	for len(outputs) < limit {
		out, ok := iter.Next()
		if !ok {
			break
		}
		if err, failed := out.(error); failed {
			return nil, err
		}
		if len(outputs) == maxOutputs {
			return nil, fmt.Errorf("gives more than %d outputs; narrow it", maxOutputs)
		}
		if !l.container {
			var err error
			if out, err = jsonReady(out, rd); err != nil {
				return nil, err
			}
		}
		outputs = append(outputs, out)
	}
	return outputs, nil
}

// jsonReady copies a jq output into the types that a Result has.
func jsonReady(v any, rd *reader) (any, error) {
	text, _ := v.(string)
	if err := rd.spend(1, len(text)); err != nil {
		return nil, err
	}
	switch v := v.(type) {
	case string:
		return strings.ToValidUTF8(v, string(utf8.RuneError)), nil
	case int:
		return json.Number(strconv.Itoa(v)), nil
	case *big.Int:
		return bounded(json.Number(v.String()))
	case json.Number:
		return bounded(v)
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, errors.New("gives a number that JSON does not have")
		}
		literal, err := json.Marshal(v)
		return json.Number(literal), err
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			exact, err := jsonReady(e, rd)
			if err != nil {
				return nil, err
			}
			out[i] = exact
		}
		return out, nil
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, e := range v {
			exact, err := jsonReady(e, rd)
			if err != nil {
				return nil, err
			}
			out[k] = exact
		}
		return out, nil
	default: // nil, bool
		return v, nil
	}
}

func bounded(n json.Number) (any, error) { return n, checkNumber(n.String()) }
