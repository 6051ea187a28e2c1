package storetest

import (
	"context"
	"fmt"
	"io"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/objectstore"
)

func readChecks() []check {
	return []check{
		{"Missing", missing},
		{"GetWithinLimit", getWithinLimit},
		{"GetRanges", getRanges},
		{"OpenStreams", openStreams},
		{"ListManyPages", listManyPages},
		{"ListPrefix", listPrefix},
		{"ListAfter", listAfter},
		{"ListEndsEarly", listEndsEarly},
	}
}

func missing(t *testing.T, s Store, prefix string) {
	key := prefix + "nothing"
	reads := map[string]func() error{
		"Get":      func() error { _, err := s.Get(t.Context(), key, plain); return err },
		"GetRange": func() error { _, err := s.GetRange(t.Context(), collection.ObjectRange{Key: key}); return err },
		"GetPart": func() error {
			_, err := s.GetRange(t.Context(), collection.ObjectRange{Key: key, Length: 3})
			return err
		},
		"Open": func() error { _, _, err := s.Open(t.Context(), key); return err },
		"Head": func() error { _, err := s.Head(t.Context(), key); return err },
	}
	for name, read := range reads {
		err := read()
		require.ErrorIs(t, err, collection.ErrObjectMissing, name)
		require.ErrorContains(t, err, key, name)
		require.NotErrorIs(t, err, collection.ErrStoreDenied, name)
	}
}

func getWithinLimit(t *testing.T, s Store, prefix string) {
	key := prefix + "limited"
	_, err := s.Put(t.Context(), key, []byte("0123456789"), text)
	require.NoError(t, err)
	for _, limit := range []int64{10, 11, 1 << 40} {
		got, err := s.Get(t.Context(), key, limit)
		require.NoError(t, err)
		require.Equal(t, "0123456789", string(got))
	}
	for _, limit := range []int64{9, 1, 0} {
		_, err := s.Get(t.Context(), key, limit)
		var large *collection.TooLargeError
		require.ErrorAs(t, err, &large)
		require.Equal(t, &collection.TooLargeError{Key: key, Size: 10, Limit: limit}, large)
	}
}

func getRanges(t *testing.T, s Store, prefix string) {
	key := prefix + "ranges"
	_, err := s.Put(t.Context(), key, []byte("testcontent"), text)
	require.NoError(t, err)
	for _, c := range []struct {
		offset, length int64
		want           string
	}{
		{0, 0, "testcontent"}, {0, 11, "testcontent"}, {0, 1, "t"}, {4, 4, "cont"}, {4, 7, "content"}, {10, 1, "t"},
	} {
		got, err := s.GetRange(t.Context(), collection.ObjectRange{Key: key, Offset: c.offset, Length: c.length})
		require.NoError(t, err, "%d+%d", c.offset, c.length)
		require.Equal(t, c.want, string(got), "%d+%d", c.offset, c.length)
	}
	for _, c := range []struct{ offset, length int64 }{
		{0, 12}, {4, 8}, {11, 1}, {40, 11}, {-1, 3}, {0, -1}, {4, 0}, {0, objectstore.MaxRange + 1},
	} {
		_, err := s.GetRange(t.Context(), collection.ObjectRange{Key: key, Offset: c.offset, Length: c.length})
		require.ErrorContains(t, err, key, "%d+%d", c.offset, c.length)
		require.NotErrorIs(t, err, collection.ErrObjectMissing, "%d+%d", c.offset, c.length)
	}
}

func openStreams(t *testing.T, s Store, prefix string) {
	key := prefix + "stream"
	written, err := s.Create(t.Context(), key, []byte("0123456789"), text)
	require.NoError(t, err)
	stream, info, err := s.Open(t.Context(), key)
	require.NoError(t, err)
	requireWritten(t, info, key, []byte("0123456789"), 1)
	require.Equal(t, written.ETag, info.ETag)
	require.False(t, info.LastModified.IsZero())
	first := make([]byte, 4)
	_, err = io.ReadFull(stream, first)
	require.NoError(t, err)
	rest, err := io.ReadAll(stream)
	require.NoError(t, err)
	require.NoError(t, stream.Close())
	require.Equal(t, "0123 456789", string(first)+" "+string(rest))

	unread, _, err := s.Open(t.Context(), key)
	require.NoError(t, err)
	require.NoError(t, unread.Close(), "a reader may stop early")
}

// listed collects a whole listing.
func listed(t *testing.T, s Store, prefix string) []string {
	t.Helper()
	var keys []string
	for info, err := range s.List(t.Context(), prefix) {
		require.NoError(t, err)
		keys = append(keys, info.Key)
	}
	return keys
}

func listManyPages(t *testing.T, s Store, prefix string) {
	const objects, writers = 2_050, 32
	var want []string
	for i := range objects {
		want = append(want, fmt.Sprintf("%s%05d", prefix, i))
	}
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			for i := w; i < objects; i += writers {
				if _, err := s.Create(context.Background(), want[i], fmt.Appendf(nil, "%0*d", i%7, 0), text); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	require.Equal(t, want, listed(t, s, prefix))
}

func listPrefix(t *testing.T, s Store, prefix string) {
	var want []string
	for _, name := range []string{"a", "a-b", "a.b", "ab", "a_b/c", "b/c/d", "b/c/e", "b/d"} {
		want = append(want, prefix+name)
		_, err := s.Put(t.Context(), prefix+name, []byte(name), text)
		require.NoError(t, err)
	}
	slices.Sort(want)
	require.Equal(t, want, listed(t, s, prefix))
	require.Equal(t, []string{prefix + "b/c/d", prefix + "b/c/e"}, listed(t, s, prefix+"b/c/"))
	require.Equal(t, []string{prefix + "b/c/d", prefix + "b/c/e", prefix + "b/d"}, listed(t, s, prefix+"b"),
		"a prefix need not end where a name does")
	require.Empty(t, listed(t, s, prefix+"c"))
	for info, err := range s.List(t.Context(), prefix+"ab") {
		require.NoError(t, err)
		require.Equal(t, int64(2), info.Size)
		require.NotEmpty(t, info.ETag)
		require.False(t, info.LastModified.IsZero())
	}
}

func listAfter(t *testing.T, s Store, prefix string) {
	for _, name := range []string{"a", "b", "b.c/d", "b+c d", "c", "d/e"} {
		_, err := s.Put(t.Context(), prefix+name, []byte(name), text)
		require.NoError(t, err)
	}
	all := listed(t, s, prefix)
	require.Len(t, all, 6)
	behind := func(under, after string) []string {
		var keys []string
		for info, err := range s.ListAfter(t.Context(), under, after) {
			require.NoError(t, err)
			keys = append(keys, info.Key)
		}
		return keys
	}
	require.Equal(t, all, behind(prefix, ""))
	for i, key := range all {
		require.Equal(t, all[i+1:], append([]string{}, behind(prefix, key)...), "behind %q", key)
	}
	require.Equal(t, []string{prefix + "c", prefix + "d/e"}, behind(prefix, prefix+"bb"), "it need not be there")
	require.Equal(t, []string{prefix + "c"}, behind(prefix+"c", prefix+"a"), "it need not be under the prefix")
	require.Empty(t, behind(prefix+"a", prefix+"b"))
}

func listEndsEarly(t *testing.T, s Store, prefix string) {
	for i := range 3 {
		_, err := s.Put(t.Context(), fmt.Sprintf("%s%d", prefix, i), nil, text)
		require.NoError(t, err)
	}
	seen := 0
	for _, err := range s.List(t.Context(), prefix) {
		require.NoError(t, err)
		seen++
		break
	}
	require.Equal(t, 1, seen)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	seen = 0
	for _, err := range s.List(ctx, prefix) {
		require.ErrorIs(t, err, context.Canceled)
		require.ErrorContains(t, err, prefix)
		seen++
	}
	require.Equal(t, 1, seen)
}
