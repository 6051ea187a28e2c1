package objectstore

import (
	"cmp"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/stretchr/testify/require"
)

// step is one request of a scenario and what S3 answers to it.
type step struct {
	Op, Key, Body, Code, ETag string
	IfMatch                   *string `json:"if_match"`
	IfNoneMatch               *string `json:"if_none_match"`
	IfModifiedSince           *string `json:"if_modified_since"`
	IfUnmodifiedSince         *string `json:"if_unmodified_since"`
	Status                    int
	SaveETag                  string `json:"save_etag"`

	// exists says whether the object was there before the step.
	exists bool
}

func (s step) writes() bool { return s.Op == "PutObject" || strings.HasPrefix(s.Op, "multipart") }

// difference is a kind of request to which the embedded gateway answers otherwise than the facts say.
type difference struct {
	why     string
	applies func(s step) bool
	answer  string
}

func differences() []difference {
	return []difference{
		{
			why: "On writes the gateway knows no absence but that of any object (\"*\"), and says so. AWS does the same; weir " +
				"sends no other.",
			applies: func(s step) bool { return s.writes() && s.IfNoneMatch != nil && *s.IfNoneMatch != "*" },
			answer:  "501 NotImplemented",
		},
		{
			why: "On writes and deletes the gateway takes If-Match: \"*\" for an ETag, which no object has. Weir sends the ETag " +
				"that it has seen.",
			applies: func(s step) bool { return s.Op != "GetObject" && s.exists && s.IfMatch != nil && *s.IfMatch == "*" },
			answer:  "412 PreconditionFailed",
		},
	}
}

// scenario plays the steps against the gateway, each scenario with objects of its own.
type scenario struct {
	t            *testing.T
	store        *Store
	prefix       string
	etags        map[string]string
	lastModified time.Time
	exists       bool
}

func TestFactsConditional(t *testing.T) {
	t.Parallel()
	var facts struct {
		Scenarios []struct {
			ID, Tag string
			Steps   []step
		}
	}
	readFacts(t, "conditional.json", &facts)
	store, different, steps := gatewayStore(t), map[string]int{}, 0
	for _, fact := range facts.Scenarios {
		if fact.Tag == "conditional_copy" {
			continue // weir copies nothing
		}
		// Versioned or not, only the current object counts, and weir needs no versions.
		s := &scenario{t: t, store: store, prefix: freshKey(""), etags: map[string]string{}}
		for i, st := range fact.Steps {
			if st.Op == "concurrent" {
				continue // TestFactsOverlappingWrites
			}
			steps++
			st.exists = s.exists
			want, why := expected(st)
			require.Equal(t, want, s.play(st), "%s, step %d: %+v", fact.ID, i+1, st)
			if why != "" {
				different[why]++
				s.force(st)
			}
		}
	}
	require.Greater(t, steps, 90)
	for _, d := range differences() {
		require.NotZero(t, different[d.why], "the facts show this no longer: %s", d.why)
		t.Logf("%d steps differ: %s", different[d.why], d.why)
	}
}

// expected is the gateway's answer, and why it is not what the facts say if it is not.
func expected(s step) (answer, why string) {
	for _, d := range differences() {
		if d.applies(s) {
			return d.answer, d.why
		}
	}
	switch {
	case s.Status < 300:
		return "done", ""
	case s.Status == http.StatusNotModified:
		return "304", ""
	}
	return itoa(s.Status) + " " + s.Code, ""
}

// given resolves a header's value: "$e1" is an ETag that was seen before.
func (s *scenario) given(value *string) *string {
	if value == nil {
		return nil
	}
	name, isSaved := strings.CutPrefix(*value, "$")
	if !isSaved {
		return value
	}
	name, bare := strings.CutSuffix(name, " without quotes")
	etag, ok := s.etags[name]
	require.True(s.t, ok, "ETag %s", *value)
	if bare {
		etag = strings.Trim(etag, `"`)
	}
	return &etag
}

func (s *scenario) moment(value *string) *time.Time {
	if value == nil {
		return nil
	}
	if *value == "$last_modified+1s" {
		time.Sleep(time.Until(s.lastModified.Add(time.Second))) // a time to come is not taken as a condition
		return aws.Time(s.lastModified.Add(time.Second))
	}
	at, err := http.ParseTime(*value)
	require.NoError(s.t, err)
	return &at
}

// play sends one step's request and says what came of it.
func (s *scenario) play(st step) string {
	key := s.prefix + st.Key
	var err error
	switch {
	case st.Op == "PutObject":
		err = s.put(st, key, st.Body)
	case st.Op == "DeleteObject":
		_, err = s.store.client.DeleteObject(s.t.Context(), &s3.DeleteObjectInput{
			Bucket: &s.store.bucket, Key: &key, IfMatch: s.given(st.IfMatch),
		})
	case st.Op == "GetObject":
		err = s.get(st, key)
	case strings.HasPrefix(st.Op, "multipart"):
		err = s.multipart(st, key)
	default:
		s.t.Fatalf("the facts have a new operation: %q", st.Op)
	}
	if err == nil {
		s.exists = st.Op != "DeleteObject"
		return "done"
	}
	status, code := answerOf(err)
	require.NotZero(s.t, status, "%v", err)
	if status == http.StatusNotModified {
		return "304"
	}
	return itoa(status) + " " + code
}

// force brings about what the step would have, so that the next one starts where the scenario means it to.
func (s *scenario) force(st step) {
	st.IfMatch, st.IfNoneMatch = nil, nil
	if st.Status < 300 {
		require.Equal(s.t, "done", s.play(st))
	}
}

func (s *scenario) put(st step, key, short string) error {
	body := short
	if strings.Contains(short, " of ") {
		body = bodyOf(s.t, short)
	}
	out, err := s.store.client.PutObject(s.t.Context(), &s3.PutObjectInput{
		Bucket: &s.store.bucket, Key: &key, Body: strings.NewReader(body),
		IfMatch: s.given(st.IfMatch), IfNoneMatch: s.given(st.IfNoneMatch),
	})
	if err != nil {
		return err
	}
	s.save(st, out.ETag)
	head, err := s.store.Head(s.t.Context(), key)
	require.NoError(s.t, err)
	s.lastModified = head.LastModified
	return nil
}

func (s *scenario) save(st step, etag *string) {
	if st.SaveETag != "" {
		s.etags[st.SaveETag] = aws.ToString(etag)
	}
}

func (s *scenario) get(st step, key string) error {
	out, err := s.store.client.GetObject(s.t.Context(), &s3.GetObjectInput{
		Bucket: &s.store.bucket, Key: &key, IfMatch: s.given(st.IfMatch), IfNoneMatch: s.given(st.IfNoneMatch),
		IfModifiedSince: s.moment(st.IfModifiedSince), IfUnmodifiedSince: s.moment(st.IfUnmodifiedSince),
	})
	if err != nil {
		return err
	}
	defer out.Body.Close()
	got, err := io.ReadAll(out.Body)
	require.NoError(s.t, err)
	require.Equal(s.t, st.Body, string(got))
	return nil
}

func (s *scenario) multipart(st step, key string) error {
	ctx, client, bucket := s.t.Context(), s.store.client, &s.store.bucket
	begun, err := client.CreateMultipartUpload(ctx, &s3.CreateMultipartUploadInput{Bucket: bucket, Key: &key})
	require.NoError(s.t, err)
	part, err := client.UploadPart(ctx, &s3.UploadPartInput{
		Bucket: bucket, Key: &key, UploadId: begun.UploadId, PartNumber: aws.Int32(1),
		// Upstream's part is as empty as its object where no body is given.
		Body: strings.NewReader(cmp.Or(st.Body, "")),
	})
	require.NoError(s.t, err)
	out, err := client.CompleteMultipartUpload(ctx, &s3.CompleteMultipartUploadInput{
		Bucket: bucket, Key: &key, UploadId: begun.UploadId,
		IfMatch: s.given(st.IfMatch), IfNoneMatch: s.given(st.IfNoneMatch),
		MultipartUpload: &types.CompletedMultipartUpload{
			Parts: []types.CompletedPart{{ETag: part.ETag, PartNumber: aws.Int32(1)}},
		},
	})
	if err != nil {
		return err
	}
	s.save(st, out.ETag)
	return nil
}

// slowReader stops half way until it is told to go on.
type slowReader struct {
	io.ReadSeeker
	half    int64
	reached chan struct{}
	goOn    chan struct{}
	read    int64
	paused  bool
}

func (r *slowReader) Read(p []byte) (int, error) {
	if r.read >= r.half && !r.paused {
		r.paused = true
		close(r.reached)
		<-r.goOn
	}
	n, err := r.ReadSeeker.Read(p)
	r.read += int64(n)
	return n, err
}

// TestFactsOverlappingWrites is the facts' test_atomic_dual_conditional_write_1mb.
func TestFactsOverlappingWrites(t *testing.T) {
	t.Parallel()
	store, key := gatewayStore(t), freshKey("overlap")
	bodyOf := func(letter string) []byte { return []byte(strings.Repeat(letter, 1<<20)) }
	first, err := store.Put(t.Context(), key, bodyOf("A"), "")
	require.NoError(t, err)

	late := contentOf(bodyOf("C"), "")
	slow := &slowReader{ReadSeeker: late.body, half: late.size / 2, reached: make(chan struct{}), goOn: make(chan struct{})}
	late.body = slow
	refused := make(chan error, 1)
	go func() {
		_, err := store.write(t.Context(), key, late, condition{ifMatch: first.ETag, generation: 2})
		refused <- err
	}()
	<-slow.reached
	_, err = store.Replace(t.Context(), key, bodyOf("B"), "", first)
	require.NoError(t, err)
	close(slow.goOn)
	require.True(t, refusedCondition(<-refused))
	got, err := store.Get(t.Context(), key, 1<<20)
	require.NoError(t, err)
	require.Equal(t, string(bodyOf("B")), string(got))
}
