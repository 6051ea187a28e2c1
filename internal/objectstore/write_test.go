package objectstore

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
)

const sample = "a body"

func written(etag string) answer {
	return answer{status: 200, header: map[string]string{"ETag": etag, "X-Amz-Checksum-Sha256": checksumOf(sample)}}
}

func refused() answer { return answer{status: 412, code: codePreconditionFailed} }

func TestRequestOfAWrite(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		write func(s *Store) (collection.ObjectInfo, error)
		want  map[string]string
	}{
		"put": {
			func(s *Store) (collection.ObjectInfo, error) {
				return s.Put(t.Context(), "k", []byte(sample), "text/csv")
			},
			map[string]string{"If-None-Match": "", "If-Match": "", "X-Amz-Meta-Weir-Generation": "", "Content-Type": "text/csv"},
		},
		"create": {
			func(s *Store) (collection.ObjectInfo, error) {
				return s.Create(t.Context(), "k", []byte(sample), "text/csv")
			},
			map[string]string{"If-None-Match": "*", "If-Match": "", "X-Amz-Meta-Weir-Generation": "1", "Content-Type": "text/csv"},
		},
		"upload": {
			func(s *Store) (collection.ObjectInfo, error) {
				return s.Upload(t.Context(), "k", strings.NewReader(sample), int64(len(sample)), "")
			},
			map[string]string{"If-None-Match": "*", "X-Amz-Meta-Weir-Generation": "1", "Content-Type": "application/octet-stream"},
		},
		"replace": {
			func(s *Store) (collection.ObjectInfo, error) {
				seen := collection.ObjectInfo{Key: "k", ETag: `"e4"`, Generation: 4}
				return s.Replace(t.Context(), "k", []byte(sample), "text/csv", seen)
			},
			map[string]string{"If-None-Match": "", "If-Match": `"e4"`, "X-Amz-Meta-Weir-Generation": "5"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, fake := range []*script{newScript(t, written(`"e"`)), newTLSScript(t, written(`"e"`))} {
				info, err := c.write(fake.store(t))
				require.NoError(t, err)
				require.Equal(t, `"e"`, info.ETag)
				require.Equal(t, digestOf(sample), info.SHA256)
				require.Len(t, fake.requests(), 1)
				sent := fake.requests()[0]
				require.Equal(t, "PUT /weir/k", sent.method+" "+sent.path)
				for header, want := range c.want {
					require.Equal(t, want, sent.header.Get(header), header)
				}
				requirePlainBody(t, sent)
			}
		})
	}
}

// requirePlainBody says that the content went as it is, with its digest in the header and in the signature, and not in
// the chunked encoding with a trailing checksum.
func requirePlainBody(t *testing.T, sent request) {
	t.Helper()
	require.Equal(t, sample, sent.body)
	require.Equal(t, int64(len(sample)), sent.length)
	require.Equal(t, checksumOf(sample), sent.header.Get("X-Amz-Checksum-Sha256"))
	require.Equal(t, digestOf(sample), sent.header.Get("X-Amz-Content-Sha256"))
	require.Empty(t, sent.trailer)
	for _, header := range []string{"X-Amz-Trailer", "X-Amz-Decoded-Content-Length", "X-Amz-Sdk-Checksum-Algorithm"} {
		require.Empty(t, sent.header.Get(header), header)
	}
	require.NotContains(t, sent.header.Get("Content-Encoding"), "aws-chunked")
	for header := range sent.header {
		if strings.HasPrefix(header, "X-Amz-Checksum-") {
			require.Equal(t, "X-Amz-Checksum-Sha256", header)
		}
	}
}

func TestRefusedWriteIsSettled(t *testing.T) {
	t.Parallel()
	head := func(etag, of string, size int) answer {
		return answer{status: 200, header: map[string]string{
			"ETag": etag, "X-Amz-Checksum-Sha256": of, "Content-Length": itoa(size), "X-Amz-Meta-Weir-Generation": "3",
		}}
	}
	gone := []answer{{status: 404}, {status: 404, code: codeNoSuchKey}}
	plain := answer{status: 200, header: map[string]string{"ETag": `"p"`}, body: sample}
	otherBody := "b body"
	for name, c := range map[string]struct {
		answers  []answer
		asked    string
		conflict string
	}{
		"our own content": {[]answer{refused(), head(`"e"`, checksumOf(sample), len(sample))}, "PUT HEAD", ""},
		"another content": {[]answer{refused(), head(`"e"`, checksumOf(otherBody), len(otherBody))}, "PUT HEAD", digestOf(otherBody)},
		"in the middle of another write": {
			[]answer{{status: 409, code: codeConditionalConflict}, refused(), head(`"e"`, checksumOf(sample), len(sample))}, "PUT PUT HEAD", "",
		},
		"no checksum, our content":     {[]answer{refused(), head(`"p"`, "", len(sample)), plain}, "PUT HEAD GET", ""},
		"no checksum, another content": {[]answer{refused(), head(`"p"`, "", len(sample)), {status: 200, body: otherBody}}, "PUT HEAD GET", digestOf(otherBody)},
		"no checksum, another size":    {[]answer{refused(), head(`"p"`, "", 7)}, "PUT HEAD", "?"},
		"removed meanwhile":            {[]answer{refused(), gone[0], gone[1], written(`"e"`)}, "PUT HEAD GET PUT", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fake := newScript(t, c.answers...)
			info, err := fake.store(t).Create(t.Context(), "k", []byte(sample), "")
			require.Equal(t, c.asked, strings.Join(fake.methods(), " "))
			if c.conflict == "" {
				require.NoError(t, err)
				require.Equal(t, digestOf(sample), info.SHA256)
				return
			}
			var conflict *collection.ConflictError
			require.ErrorAs(t, err, &conflict)
			require.Equal(t, strings.TrimSuffix(c.conflict, "?"), conflict.Existing.SHA256)
			require.Equal(t, 3, conflict.Existing.Generation)
		})
	}
}

func TestUnansweredWriteIsSettled(t *testing.T) {
	t.Parallel()
	seen := collection.ObjectInfo{Key: "k", ETag: `"seen"`, Generation: 1}
	create := func(s *Store) (collection.ObjectInfo, error) { return s.Create(t.Context(), "k", []byte(sample), "") }
	replace := func(s *Store) (collection.ObjectInfo, error) {
		return s.Replace(t.Context(), "k", []byte(sample), "", seen)
	}
	there := func(etag, content string) []answer {
		return []answer{{status: 200, header: map[string]string{
			"ETag": etag, "X-Amz-Checksum-Sha256": checksumOf(content), "Content-Length": itoa(len(content)),
		}}}
	}
	gone := []answer{{status: 404}, {status: 404, code: codeNoSuchKey}}
	for name, c := range map[string]struct {
		write func(s *Store) (collection.ObjectInfo, error)
		then  []answer
		want  string
	}{
		"create, ours":             {create, there(`"e"`, sample), "done"},
		"create, another":          {create, there(`"e"`, "another"), "conflict"},
		"create, nothing":          {create, gone, "failed"},
		"create, no answer at all": {create, []answer{{drop: true}}, "failed"},
		"replace, ours":            {replace, there(`"e"`, sample), "done"},
		"replace, another":         {replace, there(`"e"`, "another"), "conflict"},
		"replace, as before":       {replace, there(`"seen"`, "another"), "failed"},
		"replace, no answer":       {replace, []answer{{drop: true}}, "failed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fake := newScript(t, append(slices.Repeat([]answer{{drop: true}}, defaultAttempts), c.then...)...)
			info, err := c.write(fake.store(t))
			switch c.want {
			case "done":
				require.NoError(t, err)
				require.Equal(t, digestOf(sample), info.SHA256)
			case "conflict":
				require.ErrorAs(t, err, new(*collection.ConflictError))
			case "failed":
				requireKind(t, err, nil)
				require.NotErrorAs(t, err, new(*collection.ConflictError))
				require.ErrorContains(t, err, "EOF")
			}
		})
	}
}

func TestNoLookAfterAnEndedContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	fake := newScript(t, answer{drop: true})
	fake.before = cancel
	_, err := fake.store(t).Create(ctx, "k", []byte(sample), "")
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, []string{"PUT"}, fake.methods())
}

func TestSettlingReadsWhatItAskedAbout(t *testing.T) {
	t.Parallel()
	fake := newScript(t, refused(),
		answer{status: 200, header: map[string]string{"ETag": `"p"`, "Content-Length": itoa(len(sample))}},
		answer{status: 412, code: codePreconditionFailed})
	_, err := fake.store(t).Create(t.Context(), "k", []byte(sample), "")
	require.Error(t, err, "the object changed between the two looks")
	require.NotErrorIs(t, err, collection.ErrObjectMissing)
	require.Equal(t, `"p"`, fake.requests()[2].header.Get("If-Match"))
}

func TestCreateGivesUpOnAVanishingObject(t *testing.T) {
	t.Parallel()
	gone := []answer{refused(), {status: 404}, {status: 404, code: codeNoSuchKey}}
	fake := newScript(t, slices.Concat(gone, gone, gone)...)
	_, err := fake.store(t).Create(t.Context(), "k", []byte(sample), "")
	require.ErrorContains(t, err, "keeps removing")
	require.NotErrorIs(t, err, collection.ErrObjectMissing)
	require.Len(t, fake.requests(), 3*createRounds)
}

func TestWhatTheStoreKeeps(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		header  map[string]string
		want    string
		problem string
	}{
		"our digest": {map[string]string{"X-Amz-Checksum-Sha256": asStored(t, digestOf(sample))}, digestOf(sample), ""},
		"none":       {nil, "", ""},
		"of its parts": {map[string]string{
			"X-Amz-Checksum-Sha256": checksumOf("x"), "X-Amz-Checksum-Type": "COMPOSITE",
		}, "", ""},
		"with a count of parts": {map[string]string{"X-Amz-Checksum-Sha256": checksumOf("x") + "-3"}, "", ""},
		"another":               {map[string]string{"X-Amz-Checksum-Sha256": checksumOf("x")}, "", digestOf("x")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fake := newScript(t, answer{status: 200, header: c.header})
			info, err := fake.store(t).Put(t.Context(), "k", []byte(sample), "")
			if c.problem != "" {
				require.ErrorContains(t, err, c.problem)
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.want, info.SHA256)
		})
	}
}

func TestFewAndShortRetries(t *testing.T) {
	t.Parallel()
	fake := newScript(t, answer{status: 503, code: "SlowDown"}, answer{status: 500, code: "InternalError"}, written(`"e"`))
	_, err := fake.store(t).Put(t.Context(), "k", []byte(sample), "")
	require.NoError(t, err)
	for _, sent := range fake.requests() {
		requirePlainBody(t, sent)
	}

	fake = newScript(t, answer{status: 503, code: "SlowDown"})
	_, err = fake.store(t).Put(t.Context(), "k", []byte(sample), "")
	require.ErrorContains(t, err, "503 SlowDown")
	require.Len(t, fake.requests(), defaultAttempts)

	once, err := Open(t.Context(), Options{
		Endpoint: fake.URL, Bucket: "weir", PathStyle: true, AccessKey: testKey, SecretKey: testSecret, Attempts: 1,
		HTTPClient: http.DefaultClient,
	})
	require.NoError(t, err)
	_, err = once.Put(t.Context(), "k", []byte(sample), "")
	require.Error(t, err)
	require.Len(t, fake.requests(), defaultAttempts+1)
}

func TestUploadAboveOnePut(t *testing.T) {
	t.Parallel()
	fake := newScript(t, written(`"e"`))
	_, err := fake.store(t).Upload(t.Context(), "k", strings.NewReader(sample), maxSinglePut+1, "")
	require.ErrorContains(t, err, "split it")
	require.Empty(t, fake.requests())
}
