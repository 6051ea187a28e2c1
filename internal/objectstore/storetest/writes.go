package storetest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
)

func writeChecks() []check {
	return []check{
		{"PutOverwrites", putOverwrites},
		{"CreateWritesOnce", createWritesOnce},
		{"CreateTwiceTheSame", createTwiceTheSame},
		{"CreateAfterPut", createAfterPut},
		{"CreateManyAtOnce", createManyAtOnce},
		{"CreateTheSameManyAtOnce", createTheSameManyAtOnce},
		{"ReplaceCountsGenerations", replaceCountsGenerations},
		{"ReplaceOfAnotherState", replaceOfAnotherState},
		{"ReplaceManyAtOnce", replaceManyAtOnce},
		{"ReplaceTwiceTheSame", replaceTwiceTheSame},
		{"ReplaceOfNothing", replaceOfNothing},
		{"UploadFile", uploadFile},
		{"UploadOfAnotherSize", uploadOfAnotherSize},
		{"EmptyObject", emptyObject},
		{"OddKeys", oddKeys},
		{"UnclearKeys", unclearKeys},
		{"LargeObject", largeObject},
		{"WriterOwnsItsBytes", writerOwnsItsBytes},
		{"EndedContext", endedContext},
	}
}

func putOverwrites(t *testing.T, s Store, prefix string) {
	key := prefix + "put"
	for _, body := range [][]byte{[]byte("one"), []byte("two"), []byte("two")} {
		info, err := s.Put(t.Context(), key, body, text)
		require.NoError(t, err)
		requireWritten(t, info, key, body, 0)
		requireContent(t, s, key, body, 0)
	}
}

func createWritesOnce(t *testing.T, s Store, prefix string) {
	key, first, second := prefix+"once", []byte("first"), []byte("second content")
	info, err := s.Create(t.Context(), key, first, text)
	require.NoError(t, err)
	requireWritten(t, info, key, first, 1)
	_, err = s.Create(t.Context(), key, second, text)
	requireConflict(t, err, key, first, second)
	requireContent(t, s, key, first, 1)
}

func createTwiceTheSame(t *testing.T, s Store, prefix string) {
	key, body := prefix+"twice", []byte("the same")
	first, err := s.Create(t.Context(), key, body, text)
	require.NoError(t, err)
	again, err := s.Create(t.Context(), key, body, text)
	require.NoError(t, err)
	requireWritten(t, again, key, body, 1)
	require.Equal(t, first.ETag, again.ETag)
}

func createAfterPut(t *testing.T, s Store, prefix string) {
	key, body := prefix+"unmarked", []byte("written by somebody else")
	_, err := s.Put(t.Context(), key, body, text)
	require.NoError(t, err)
	info, err := s.Create(t.Context(), key, body, text)
	require.NoError(t, err)
	requireWritten(t, info, key, body, 0)

	next := []byte("a second content")
	info, err = s.Replace(t.Context(), key, next, text, info)
	require.NoError(t, err)
	requireWritten(t, info, key, next, 2)
}

// atOnce runs n writers and returns the errors in their order.
func atOnce(n int, write func(i int) error) []error {
	errs := make([]error, n)
	var all sync.WaitGroup
	start := make(chan struct{})
	for i := range n {
		all.Go(func() {
			<-start
			errs[i] = write(i)
		})
	}
	close(start)
	all.Wait()
	return errs
}

// requireOneWinner says that exactly one of the writers won, that its content is there, and that all others know it.
func requireOneWinner(t *testing.T, s Store, key string, errs []error, bodyOf func(i int) []byte, generation int) {
	t.Helper()
	winner := -1
	for i, err := range errs {
		if err == nil {
			require.Equal(t, -1, winner, "writers %d and %d both succeeded", winner, i)
			winner = i
		}
	}
	require.NotEqual(t, -1, winner, "nobody succeeded: %v", errs)
	for i, err := range errs {
		if i != winner {
			requireConflict(t, err, key, bodyOf(winner), bodyOf(i))
		}
	}
	requireContent(t, s, key, bodyOf(winner), generation)
}

func createManyAtOnce(t *testing.T, s Store, prefix string) {
	bodyOf := func(i int) []byte { return []byte(strings.Repeat(fmt.Sprintf("writer %02d ", i), 10_000)) }
	for round := range 5 {
		key := fmt.Sprintf("%srace-%d", prefix, round)
		errs := atOnce(16, func(i int) error {
			_, err := s.Create(context.Background(), key, bodyOf(i), text)
			return err
		})
		requireOneWinner(t, s, key, errs, bodyOf, 1)
	}
}

func createTheSameManyAtOnce(t *testing.T, s Store, prefix string) {
	key, body := prefix+"together", []byte("many attempts of one work")
	errs := atOnce(16, func(int) error {
		info, err := s.Create(context.Background(), key, body, text)
		if err == nil && (info.Generation != 1 || info.SHA256 != digest(body)) {
			err = fmt.Errorf("wrong info: %+v", info)
		}
		return err
	})
	for _, err := range errs {
		require.NoError(t, err)
	}
	requireContent(t, s, key, body, 1)
}

func replaceCountsGenerations(t *testing.T, s Store, prefix string) {
	key := prefix + "generations"
	info, err := s.Create(t.Context(), key, []byte("1"), text)
	require.NoError(t, err)
	for generation := 2; generation <= 4; generation++ {
		body := fmt.Appendf(nil, "generation %d", generation)
		info, err = s.Replace(t.Context(), key, body, text, info)
		require.NoError(t, err)
		requireWritten(t, info, key, body, generation)
		asked := requireContent(t, s, key, body, generation)
		require.Equal(t, asked.ETag, info.ETag)
	}
}

func replaceOfAnotherState(t *testing.T, s Store, prefix string) {
	key, first, second, third := prefix+"stale", []byte("first"), []byte("second"), []byte("third")
	stale, err := s.Create(t.Context(), key, first, text)
	require.NoError(t, err)
	_, err = s.Replace(t.Context(), key, second, text, stale)
	require.NoError(t, err)
	_, err = s.Replace(t.Context(), key, third, text, stale)
	requireConflict(t, err, key, second, third)
	requireContent(t, s, key, second, 2)

	_, err = s.Replace(t.Context(), key, third, text, collection.ObjectInfo{Key: key, Generation: 2})
	require.ErrorContains(t, err, key, "without an ETag nothing can be compared")
	requireContent(t, s, key, second, 2)
}

func replaceManyAtOnce(t *testing.T, s Store, prefix string) {
	key := prefix + "race"
	seen, err := s.Create(t.Context(), key, []byte("what all have seen"), text)
	require.NoError(t, err)
	bodyOf := func(i int) []byte { return fmt.Appendf(nil, "replacement by writer %d", i) }
	errs := atOnce(16, func(i int) error {
		_, err := s.Replace(context.Background(), key, bodyOf(i), text, seen)
		return err
	})
	requireOneWinner(t, s, key, errs, bodyOf, 2)
}

func replaceTwiceTheSame(t *testing.T, s Store, prefix string) {
	key, body := prefix+"twice", []byte("second")
	seen, err := s.Create(t.Context(), key, []byte("first"), text)
	require.NoError(t, err)
	for range 2 {
		info, err := s.Replace(t.Context(), key, body, text, seen)
		require.NoError(t, err)
		requireWritten(t, info, key, body, 2)
	}
	seen, err = s.Head(t.Context(), key)
	require.NoError(t, err)
	info, err := s.Replace(t.Context(), key, body, text, seen)
	require.NoError(t, err)
	requireWritten(t, info, key, body, 2)
	requireContent(t, s, key, body, 2)
}

func replaceOfNothing(t *testing.T, s Store, prefix string) {
	key := prefix + "nothing"
	_, err := s.Replace(t.Context(), key, []byte("x"), text, collection.ObjectInfo{Key: key, ETag: `"0123"`, Generation: 1})
	require.ErrorIs(t, err, collection.ErrObjectMissing)
	require.ErrorContains(t, err, key)
}

func uploadFile(t *testing.T, s Store, prefix string) {
	key, body := prefix+"file.csv", bytes.Repeat([]byte("a line of a file\n"), 200_000)
	path := filepath.Join(t.TempDir(), "file.csv")
	require.NoError(t, os.WriteFile(path, body, 0o600))
	file, err := os.Open(path)
	require.NoError(t, err)
	defer file.Close()
	_, err = file.Seek(100, io.SeekStart)
	require.NoError(t, err, "where the file stood before is of no account")
	for range 2 {
		info, err := s.Upload(t.Context(), key, file, int64(len(body)), "text/csv")
		require.NoError(t, err)
		requireWritten(t, info, key, body, 1)
	}
	requireContent(t, s, key, body, 1)

	other := []byte("another file")
	_, err = s.Upload(t.Context(), key, bytes.NewReader(other), int64(len(other)), "text/csv")
	requireConflict(t, err, key, body, other)
	_, err = file.Seek(0, io.SeekStart)
	require.NoError(t, err, "the file is still its owner's")
}

func uploadOfAnotherSize(t *testing.T, s Store, prefix string) {
	key := prefix + "file"
	for _, size := range []int64{0, 4, 6, 1 << 20} {
		_, err := s.Upload(t.Context(), key, strings.NewReader("12345"), size, text)
		require.ErrorContains(t, err, key)
	}
	_, err := s.Head(t.Context(), key)
	require.ErrorIs(t, err, collection.ErrObjectMissing)
}

func emptyObject(t *testing.T, s Store, prefix string) {
	key := prefix + "empty"
	for range 2 {
		info, err := s.Create(t.Context(), key, nil, text)
		require.NoError(t, err)
		requireWritten(t, info, key, nil, 1)
	}
	requireContent(t, s, key, nil, 1)
	whole, err := s.GetRange(t.Context(), collection.ObjectRange{Key: key})
	require.NoError(t, err)
	require.Empty(t, whole)
	_, err = s.Put(t.Context(), prefix+"put", []byte{}, text)
	require.NoError(t, err)
	info, err := s.Upload(t.Context(), prefix+"file", strings.NewReader(""), 0, text)
	require.NoError(t, err)
	requireWritten(t, info, prefix+"file", nil, 1)
}

// oddNames are what people call files.
func oddNames() []string {
	return []string{
		"with space", "two  spaces", "plus+plus", "percent%20sign", "100%", "ünï-cödé", "日本語.csv", "emoji-🐟",
		"quote'quote", `double"quote`, "a&b=c", "question?mark", "hash#tag", "semi;colon", "comma,comma", "at@sign",
		"tilde~", "star*", "(brackets)[]{}", "back\\slash", "less<more>", "pipe|", "caret^", "dollar$", "e\u0301",
		".hidden", "dots..dots", "deep/er/est", "UPPER", "upper",
	}
}

func oddKeys(t *testing.T, s Store, prefix string) {
	want := map[string][]byte{}
	for _, name := range oddNames() {
		key, body := prefix+name, []byte("content of "+name)
		info, err := s.Create(t.Context(), key, body, text)
		require.NoError(t, err, "key %q", key)
		requireWritten(t, info, key, body, 1)
		want[key] = body
	}
	for key, body := range want {
		requireContent(t, s, key, body, 1)
	}
	for info, err := range s.List(t.Context(), prefix) {
		require.NoError(t, err)
		require.Contains(t, want, info.Key)
		delete(want, info.Key)
	}
	require.Empty(t, want, "not listed")
}

func unclearKeys(t *testing.T, s Store, prefix string) {
	_, err := s.Put(t.Context(), prefix+"target", []byte("x"), text)
	require.NoError(t, err)
	seen, err := s.Head(t.Context(), prefix+"target")
	require.NoError(t, err)
	for _, key := range []string{
		"", "/", "/" + prefix + "target", prefix, prefix + "/target", prefix + "./target", prefix + "x/../target", "../weir/" + prefix + "target",
		prefix + "target/", prefix + "target/.", prefix + "..", prefix + "\xff", prefix + strings.Repeat("x", 1024),
	} {
		_, put := s.Put(t.Context(), key, []byte("y"), text)
		_, created := s.Create(t.Context(), key, []byte("y"), text)
		_, uploaded := s.Upload(t.Context(), key, strings.NewReader("y"), 1, text)
		_, replaced := s.Replace(t.Context(), key, []byte("y"), text, seen)
		_, got := s.Get(t.Context(), key, plain)
		_, part := s.GetRange(t.Context(), collection.ObjectRange{Key: key, Length: 1})
		_, _, opened := s.Open(t.Context(), key)
		_, asked := s.Head(t.Context(), key)
		for _, err := range []error{put, created, uploaded, replaced, got, part, opened, asked} {
			require.ErrorContains(t, err, "key", "%q", key)
			require.ErrorContains(t, err, key)
			require.NotErrorIs(t, err, collection.ErrObjectMissing, "%q", key)
		}
	}
	requireContent(t, s, prefix+"target", []byte("x"), 0)
}

func largeObject(t *testing.T, s Store, prefix string) {
	key, body := prefix+"large", bytes.Repeat([]byte("0123456789abcdef"), 20<<20/16)
	info, err := s.Create(t.Context(), key, body, "application/octet-stream")
	require.NoError(t, err)
	requireWritten(t, info, key, body, 1)
	requireContent(t, s, key, body, 1)
	again, err := s.Create(t.Context(), key, body, "application/octet-stream")
	require.NoError(t, err)
	require.Equal(t, info.ETag, again.ETag)
	body[len(body)-1]++
	_, err = s.Create(t.Context(), key, body, "application/octet-stream")
	require.ErrorAs(t, err, new(*collection.ConflictError))
}

func writerOwnsItsBytes(t *testing.T, s Store, prefix string) {
	key, body := prefix+"shared", []byte("as written")
	_, err := s.Put(t.Context(), key, body, text)
	require.NoError(t, err)
	copy(body, "XX")
	got, err := s.Get(t.Context(), key, plain)
	require.NoError(t, err)
	require.Equal(t, "as written", string(got))
	copy(got, "YY")
	requireContent(t, s, key, []byte("as written"), 0)
}

func endedContext(t *testing.T, s Store, prefix string) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := s.Create(ctx, prefix+"never", []byte("x"), text)
	require.ErrorIs(t, err, context.Canceled)
	_, err = s.Put(ctx, prefix+"never", []byte("x"), text)
	require.ErrorIs(t, err, context.Canceled)
	_, err = s.Get(ctx, prefix+"never", plain)
	require.ErrorIs(t, err, context.Canceled)
	_, err = s.Upload(ctx, prefix+"never", strings.NewReader("x"), 1, text)
	require.ErrorIs(t, err, context.Canceled)
	_, err = s.Head(t.Context(), prefix+"never")
	require.ErrorIs(t, err, collection.ErrObjectMissing)
}
