package sizing

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// uses are the keys that only some shapes read, with those shapes. A key that nothing reads is refused: whoever wrote it would
// take the answer for one about it.
type uses map[string][]Shape

var (
	serviceUses = uses{
		"mean_minutes": {Exponential, Fixed, LogNormal}, "variation": {LogNormal}, "values": {Empirical}, "weights": {Empirical},
	}
	batchUses = uses{"mean": {Geometric, Fixed, Mixed}, "sizes": {Empirical}}
)

// shaped is part for an object with a shape.
func shaped(shape *Shape, read uses, known fields) decoder {
	return func(d *decoding, where string, raw json.RawMessage) {
		before := len(*d.problems)
		given := d.object(where, raw, known)
		if len(*d.problems) > before {
			return // mended, it may have another shape
		}
		for _, key := range slices.Sorted(maps.Keys(read)) {
			if given[key] && read.knows(*shape) && !slices.Contains(read[key], *shape) {
				d.problems.add(where+"."+key, nil, "the shape %s does not use it: %s, or leave it out", *shape, instead(read[key]))
			}
		}
	}
}

// knows tells a shape that reads something from one that does not exist, which is refused elsewhere. Single reads nothing.
func (u uses) knows(shape Shape) bool {
	for _, shapes := range u {
		if slices.Contains(shapes, shape) {
			return true
		}
	}
	return shape == Single
}

// instead says how to name one of the shapes.
func instead(shapes []Shape) string {
	quoted := make([]string, len(shapes))
	for i, shape := range shapes {
		quoted[i] = fmt.Sprintf("%q", shape)
	}
	if len(quoted) == 1 {
		return `add "shape": ` + quoted[0]
	}
	return `write "shape": ` + strings.Join(quoted[:len(quoted)-1], ", ") + " or " + quoted[len(quoted)-1]
}
