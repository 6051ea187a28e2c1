package objectstore

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/weir-collect/weir/collection"
)

// maxKeyBytes is S3's limit.
const maxKeyBytes = 1024

// CheckKey says whether a key means the same object to every store; its error is a collection.ErrUnclearKey. A store over a
// folder resolves "..", "." and empty parts as a file system does, and would so reach another object than the one whose name
// was checked.
func CheckKey(key string) error {
	switch {
	case key == "":
		return unclearKey{errors.New("an object needs a key")}
	case len(key) > maxKeyBytes:
		return unclearKey{fmt.Errorf("the key has %d bytes, more than the %d that S3 allows", len(key), maxKeyBytes)}
	case !utf8.ValidString(key):
		return unclearKey{errors.New("the key is not UTF-8")}
	}
	unclear := func(part string) bool { return part == "" || part == "." || part == ".." }
	if slices.ContainsFunc(strings.Split(key, "/"), unclear) {
		return unclearKey{errors.New("the key has a part between slashes that is empty, '.' or '..', which stores read differently: name the object without")}
	}
	return nil
}

// unclearKey is an error that is a collection.ErrUnclearKey and says no more than itself.
type unclearKey struct{ error }

// Is says so.
func (unclearKey) Is(target error) bool { return target == collection.ErrUnclearKey }

// Unwrap gives the error.
func (u unclearKey) Unwrap() error { return u.error }
