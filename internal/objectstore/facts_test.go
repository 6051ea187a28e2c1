package objectstore

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/stack/stacktest"
)

// readFacts reads what is known of S3's behaviour from a collection of facts beside the project.
func readFacts(t *testing.T, name string, into any) {
	t.Helper()
	path := filepath.Join("..", "..", "..", "shared", "corpora", "s3", name)
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("%s is not there: the facts about S3 are kept outside the project", path)
	}
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(content, into))
}

// gatewayStore is the adapter at the embedded stack's gateway.
func gatewayStore(t *testing.T) *Store {
	t.Helper()
	stack := stacktest.Shared(t)
	store, err := Open(t.Context(), Options{
		Endpoint: stack.S3, Region: stack.Region, Bucket: stack.Bucket, PathStyle: true,
		AccessKey: stack.AccessKey, SecretKey: stack.SecretKey,
	})
	require.NoError(t, err)
	return store
}

func freshKey(name string) string { return "facts/" + rand.Text() + "/" + name }

// bodyOf writes out what the facts abbreviate.
func bodyOf(t *testing.T, short string) string {
	t.Helper()
	body, ok := map[string]string{
		"1024 x 'A'": strings.Repeat("A", 1024), "2 MiB x 'x'": strings.Repeat("x", 2<<20), "1 MiB of A": strings.Repeat("A", 1<<20),
	}[short]
	require.True(t, ok, "the facts have a new abbreviation: %q", short)
	return body
}

func TestFactsChecksums(t *testing.T) {
	t.Parallel()
	var facts struct {
		Single []struct{ Algorithm, Body, Checksum string }
	}
	readFacts(t, "checksums.json", &facts)
	store := gatewayStore(t)
	compared := 0
	for _, fact := range facts.Single {
		body, key := bodyOf(t, fact.Body), freshKey("checksum")
		if fact.Algorithm != "SHA256" {
			// Weir writes no other, but others may: it is not mistaken for a SHA-256.
			_, err := store.client.PutObject(t.Context(), &s3.PutObjectInput{
				Bucket: &store.bucket, Key: &key, Body: strings.NewReader(body), ChecksumCRC64NVME: &fact.Checksum,
			})
			require.NoError(t, err)
			info, err := store.Head(t.Context(), key)
			require.NoError(t, err)
			require.Empty(t, info.SHA256)
			info, err = store.Create(t.Context(), key, []byte(body), "")
			require.NoError(t, err, "the content is the same, as reading it shows")
			require.Equal(t, digestOf(body), info.SHA256)
			_, err = store.Create(t.Context(), key, []byte(strings.ToLower(body)), "")
			require.ErrorAs(t, err, new(*collection.ConflictError))
			continue
		}
		compared++
		require.Equal(t, fact.Checksum, checksumOf(body))
		info, err := store.Put(t.Context(), key, []byte(body), "")
		require.NoError(t, err)
		require.Equal(t, fact.Checksum, asStored(t, info.SHA256))
		info, err = store.Head(t.Context(), key)
		require.NoError(t, err)
		require.Equal(t, fact.Checksum, asStored(t, info.SHA256))
	}
	require.Equal(t, 2, compared)
}

func TestFactsChecksumBehaviour(t *testing.T) {
	t.Parallel()
	store, key, wrong := gatewayStore(t), freshKey("checksum"), checksumOf("another content")
	_, err := store.client.PutObject(t.Context(), &s3.PutObjectInput{
		Bucket: &store.bucket, Key: &key, Body: strings.NewReader("content"), ChecksumSHA256: &wrong,
	})
	status, code := answerOf(err)
	require.Equal(t, "400 BadDigest", itoa(status)+" "+code)
	_, err = store.Head(t.Context(), key)
	require.ErrorIs(t, err, collection.ErrObjectMissing, "what did not arrive whole is not stored")

	_, err = store.Put(t.Context(), key, []byte("content"), "")
	require.NoError(t, err)
	out, err := store.client.HeadObject(t.Context(), &s3.HeadObjectInput{Bucket: &store.bucket, Key: &key})
	require.NoError(t, err)
	require.Nil(t, out.ChecksumSHA256, "only who asks is told")
}

func TestFactsPresigned(t *testing.T) {
	t.Parallel()
	var facts struct {
		Presigned []struct {
			Test, Method  string
			Expires       *int     `json:"expires_s"`
			SignedHeaders []string `json:"signed_headers"`
			Status        int
		}
	}
	readFacts(t, "other.json", &facts)
	store := gatewayStore(t)
	for _, fact := range facts.Presigned {
		key, life, want := freshKey("linked"), 3600, fact.Status
		_, err := store.Put(t.Context(), key, []byte("linked"), "")
		require.NoError(t, err)
		if fact.Expires != nil {
			life = *fact.Expires
			_, err := store.PresignGet(t.Context(), key, time.Duration(life)*time.Second)
			require.Equal(t, want == http.StatusOK, err == nil, "weir makes no link that the store would refuse: %v", err)
		}
		if life < 0 || life > 604_800 {
			// The gateway calls such a life malformed, as AWS does, where the facts' store calls the link expired.
			want = http.StatusBadRequest
		}
		require.Equal(t, want, useLink(t, store, fact.Method, key, life, fact.SignedHeaders), fact.Test)
	}
}

// useLink signs a request as the facts have it, though weir would not, and sends it.
func useLink(t *testing.T, store *Store, method, key string, life int, signed []string) int {
	t.Helper()
	var content io.Reader
	if method == http.MethodPut {
		content = strings.NewReader("put by link")
	}
	request, err := http.NewRequestWithContext(t.Context(), method,
		store.address+"/"+store.bucket+"/"+key+"?X-Amz-Expires="+itoa(life), content)
	require.NoError(t, err)
	for _, header := range signed {
		require.Equal(t, "x-amz-acl", header)
		request.Header.Set(header, "private")
	}
	keys, err := store.credentials.Retrieve(t.Context())
	require.NoError(t, err)
	link, _, err := v4.NewSigner().PresignHTTP(t.Context(), keys, request, "UNSIGNED-PAYLOAD", "s3", "us-east-1", time.Now())
	require.NoError(t, err)
	request.URL, err = request.URL.Parse(link)
	require.NoError(t, err)
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	return response.StatusCode
}

func TestFactsRanges(t *testing.T) {
	t.Parallel()
	var facts struct {
		Range []struct {
			Content, Range, Body, Code string
			Status                     int
			ContentRange               string `json:"content_range"`
		}
	}
	readFacts(t, "other.json", &facts)
	require.NotEmpty(t, facts.Range)
	store := gatewayStore(t)
	for _, fact := range facts.Range {
		key := freshKey("range")
		_, err := store.Put(t.Context(), key, []byte(fact.Content), "")
		require.NoError(t, err)
		out, err := store.client.GetObject(t.Context(), &s3.GetObjectInput{Bucket: &store.bucket, Key: &key, Range: &fact.Range})
		if fact.Status != http.StatusPartialContent {
			status, code := answerOf(err)
			require.Equal(t, fact.Status, status, "%q %s", fact.Content, fact.Range)
			require.Equal(t, fact.Code, code, "%q %s", fact.Content, fact.Range)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, fact.ContentRange, *out.ContentRange)
		got, err := io.ReadAll(out.Body)
		require.NoError(t, err)
		require.Equal(t, fact.Body, string(got))
		require.NoError(t, out.Body.Close())
	}
}
