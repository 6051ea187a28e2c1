package egress

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/lease"
)

// RetiredError says that all egresses that a source may use are retired. It waits for one of them: going out by another
// would break the promise that the source is asked by those alone.
type RetiredError struct {
	// Use are the egresses that the source lists.
	Use []string
}

// Error names the egresses.
func (e *RetiredError) Error() string {
	return fmt.Sprintf("all egresses of the source are retired (%s): they are tried again after their probation; repair one, or list another in the source's egress.use",
		strings.Join(e.Use, ", "))
}

// Choose picks one of the egresses that a source lists; an empty list is the direct one. states are those that are not good:
// a retired one is left out, and one on trial may be picked, so the caller shows a trial only until it has been used.
//
// With a sticky text it is the same one every time, for as long as that is good, and only the texts of one that is lost move
// on. Without, they take turns, and a trial comes first: it decides soonest whether the fleet may have it back. avoid, the
// one that failed last, is picked only if it is the last one left.
//
// Its error is a *RetiredError.
func Choose(use []string, states []lease.EgressState, avoid, sticky string, turn uint64) (string, error) {
	if len(use) == 0 {
		use = []string{collection.EgressDirect}
	}
	good, trials := sorted(use, states)
	left := without(good, avoid)
	tries := without(trials, avoid)
	if len(left)+len(tries) == 0 {
		left, tries = good, trials
	}
	switch {
	case len(left)+len(tries) == 0:
		return "", &RetiredError{Use: use}
	case sticky != "":
		return highest(append(left, tries...), sticky), nil
	case len(tries) > 0:
		return tries[0], nil
	}
	return left[turn%uint64(len(left))], nil
}

// sorted parts the egresses into those that are good and those on trial, in the order of the list; the retired are in
// neither.
func sorted(use []string, states []lease.EgressState) (good, trials []string) {
	trial := make(map[string]bool, len(states))
	for _, s := range states {
		trial[s.Egress] = s.Trial
	}
	for _, name := range use {
		switch onTrial, bad := trial[name]; {
		case !bad:
			good = append(good, name)
		case onTrial:
			trials = append(trials, name)
		}
	}
	return good, trials
}

func without(names []string, avoid string) []string {
	left := make([]string, 0, len(names))
	for _, name := range names {
		if name != avoid {
			left = append(left, name)
		}
	}
	return left
}

// highest is the rendezvous of a text: every name draws a number with it, and the highest wins. When a name goes, only its
// own texts move, and when it comes back, they do.
func highest(names []string, sticky string) string {
	best, top := "", uint64(0)
	for _, name := range names {
		sum := sha256.Sum256([]byte(name + "\x00" + sticky))
		if n := binary.BigEndian.Uint64(sum[:8]); best == "" || n > top {
			best, top = name, n
		}
	}
	return best
}
