package objectstore_test

import (
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/objectstore/memstore"
	"github.com/weir-collect/weir/internal/objectstore/storetest"
)

// TestMemstoreIsNoLie plays the same random requests against the gateway and against memstore, and wants the same
// answers: what activities are tested with behaves like what they run with.
func TestMemstoreIsNoLie(t *testing.T) {
	t.Parallel()
	remote := dial(t, gateway(t))
	rapid.Check(t, func(rt *rapid.T) {
		// Fresh for every run, also for one that is run again to find a smaller example.
		prefix := "model/" + rand.Text() + "/"
		local, seen := memstore.New(), map[string]collection.ObjectInfo{}
		for _, r := range rapid.SliceOfN(requests(prefix), 1, 12).Draw(rt, "requests") {
			r.seen = seen[r.key]
			want := answerOf(t, remote, r)
			require.Equal(rt, want, answerOf(t, local, r), "%+v", r)
			if r.op == "head" {
				info, _ := local.Head(t.Context(), r.key)
				seen[r.key] = info
			}
		}
	})
}

// request is one call of a store.
type request struct {
	op, key, body  string
	offset, length int64
	seen           collection.ObjectInfo
}

func requests(prefix string) *rapid.Generator[request] {
	return rapid.Custom(func(t *rapid.T) request {
		return request{
			op:     rapid.SampledFrom([]string{"put", "create", "create", "upload", "replace", "replace", "get", "range", "head", "head", "list", "delete"}).Draw(t, "op"),
			key:    prefix + rapid.SampledFrom([]string{"a", "b/c"}).Draw(t, "key"),
			body:   rapid.SampledFrom([]string{"", "x", "y", "long content"}).Draw(t, "body"),
			offset: rapid.Int64Range(0, 3).Draw(t, "offset"),
			length: rapid.Int64Range(0, 3).Draw(t, "length"),
		}
	})
}

// answerOf is what a caller can see of an answer, without the time.
func answerOf(t *testing.T, s storetest.Store, r request) string {
	var info collection.ObjectInfo
	var content []byte
	var err error
	switch r.op {
	case "put":
		info, err = s.Put(t.Context(), r.key, []byte(r.body), "")
	case "create":
		info, err = s.Create(t.Context(), r.key, []byte(r.body), "")
	case "upload":
		info, err = s.Upload(t.Context(), r.key, strings.NewReader(r.body), int64(len(r.body)), "")
	case "replace":
		info, err = s.Replace(t.Context(), r.key, []byte(r.body), "", r.seen)
	case "get":
		content, err = s.Get(t.Context(), r.key, 5)
	case "range":
		content, err = s.GetRange(t.Context(), collection.ObjectRange{Key: r.key, Offset: r.offset, Length: r.length})
	case "head":
		info, err = s.Head(t.Context(), r.key)
	case "delete":
		err = s.Delete(t.Context(), []string{r.key})
	case "list":
		return listing(t, s, r.key)
	}
	return fmt.Sprintf("%s %q %s", shown(info), content, kind(err))
}

func listing(t *testing.T, s storetest.Store, prefix string) string {
	var all strings.Builder
	for info, err := range s.List(t.Context(), prefix) {
		require.NoError(t, err)
		all.WriteString(shown(info) + "\n")
	}
	return all.String()
}

func shown(info collection.ObjectInfo) string {
	return fmt.Sprintf("%s %d %s %s %d", info.Key, info.Size, info.SHA256, info.ETag, info.Generation)
}

// kind is what a caller can decide on.
func kind(err error) string {
	if conflict, ok := errors.AsType[*collection.ConflictError](err); ok {
		return "conflict of " + conflict.SHA256 + " with " + shown(conflict.Existing)
	}
	if large, ok := errors.AsType[*collection.TooLargeError](err); ok {
		return large.Error()
	}
	switch {
	case err == nil:
		return "done"
	case errors.Is(err, collection.ErrObjectMissing):
		return "missing"
	case errors.Is(err, collection.ErrStoreDenied):
		return "denied"
	}
	return "failed"
}
