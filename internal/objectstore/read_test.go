package objectstore

import (
	"io"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
)

func itoa(n int) string { return strconv.Itoa(n) }

func TestDamagedBodies(t *testing.T) {
	t.Parallel()
	for name, a := range map[string]answer{
		"cut off":         {status: 200, body: sample, cut: true},
		"another content": {status: 200, body: sample, header: map[string]string{"X-Amz-Checksum-Sha256": checksumOf("b body")}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := newScript(t, a).store(t)
			_, err := store.Get(t.Context(), "some/key", 1<<20)
			require.ErrorContains(t, err, "some/key")
			require.NotErrorIs(t, err, collection.ErrObjectMissing)

			stream, _, err := store.Open(t.Context(), "some/key")
			require.NoError(t, err)
			_, err = io.Copy(io.Discard, stream)
			require.ErrorContains(t, err, "some/key")
			require.NoError(t, stream.Close())
		})
	}
}

func TestChecksumIsAskedForAndCompared(t *testing.T) {
	t.Parallel()
	fake := newScript(t, answer{status: 200, body: sample, header: map[string]string{"X-Amz-Checksum-Sha256": checksumOf(sample)}})
	store := fake.store(t)
	got, err := store.Get(t.Context(), "k", 100)
	require.NoError(t, err)
	require.Equal(t, sample, string(got))
	_, err = store.Head(t.Context(), "k")
	require.NoError(t, err)
	for _, sent := range fake.requests() {
		require.Equal(t, "ENABLED", sent.header.Get("X-Amz-Checksum-Mode"))
	}
}

func TestRangesThatTheStoreDoesNotHonour(t *testing.T) {
	t.Parallel()
	for name, a := range map[string]answer{
		"whole object instead": {status: 200, body: "0123456789"},
		"less than asked":      {status: 206, body: "45", header: map[string]string{"Content-Range": "bytes 4-5/6"}},
		"beyond the end":       {status: 416, code: "InvalidRange"},
		"cut off":              {status: 206, body: "4567", cut: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fake := newScript(t, a)
			_, err := fake.store(t).GetRange(t.Context(), collection.ObjectRange{Key: "some/key", Offset: 4, Length: 4})
			require.ErrorContains(t, err, "some/key")
			require.Equal(t, "bytes=4-7", fake.requests()[0].header.Get("Range"))
			require.Empty(t, fake.requests()[0].header.Get("X-Amz-Checksum-Mode"))
		})
	}
}

func TestListedKeys(t *testing.T) {
	t.Parallel()
	page := func(encoding, key string) answer {
		return answer{status: 200, body: "<ListBucketResult>" + encoding + "<Contents><Key>" + key + "</Key><Size>3</Size>" +
			"<ETag>&quot;e&quot;</ETag></Contents></ListBucketResult>"}
	}
	const encoded = "<EncodingType>url</EncodingType>"
	for name, c := range map[string]struct {
		answer answer
		want   string
	}{
		"encoded":              {page(encoded, "a%2Fb+c%2Bd%20e%25"), "a/b c+d e%"},
		"not encoded":          {page("", "a/b+c%20d"), "a/b+c%20d"},
		"control character":    {page(encoded, "a%01b"), "a\x01b"},
		"announced, not done%": {page(encoded, "100%"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for info, err := range newScript(t, c.answer).store(t).List(t.Context(), "a") {
				if c.want == "" {
					require.ErrorContains(t, err, "100%")
					continue
				}
				require.NoError(t, err)
				require.Equal(t, collection.ObjectInfo{Key: c.want, Size: 3, ETag: `"e"`}, info)
			}
		})
	}
}
