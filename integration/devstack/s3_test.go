package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	smithyhttp "github.com/aws/smithy-go/transport/http"
	"github.com/stretchr/testify/require"
)

const body = "the quick brown fox jumps over the lazy dog"

func bodySHA256() string {
	sum := sha256.Sum256([]byte(body))
	return base64.StdEncoding.EncodeToString(sum[:])
}

func putOnce(ctx context.Context, c *s3.Client, key, content string) error {
	_, err := c.PutObject(ctx, &s3.PutObjectInput{
		Bucket: aws.String("weir"), Key: aws.String(key), Body: strings.NewReader(content),
		IfNoneMatch: aws.String("*"), ChecksumAlgorithm: types.ChecksumAlgorithmSha256,
		Metadata: map[string]string{"record": "r1"},
	})
	return err
}

func statusOf(err error) int {
	var response *smithyhttp.ResponseError
	if !errors.As(err, &response) {
		return 0
	}
	return response.HTTPStatusCode()
}

func TestObjectsSurviveKill(t *testing.T) {
	t.Run("metadata in attributes", func(t *testing.T) { objectsSurviveKill(t, t.TempDir()) })
	t.Run("metadata in files beside", func(t *testing.T) {
		dir := t.TempDir() // as a file system without attributes would have made it
		require.NoError(t, os.Mkdir(filepath.Join(dir, "metadata"), 0o755))
		objectsSurviveKill(t, dir)
		require.DirExists(t, filepath.Join(dir, "metadata", "weir"))
	})
}

// TestWhatIsKeptIsTheOwners: histories and captured pages are for nobody else on the machine, also in a folder that an earlier
// devstack left open.
func TestWhatIsKeptIsTheOwners(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "s3"), 0o755))
	p := start(t, dir)
	require.NoError(t, putOnce(t.Context(), p.s3(), "raw/a/b", body))
	_, err := p.s3().CreateMultipartUpload(t.Context(), &s3.CreateMultipartUploadInput{Bucket: aws.String("weir"), Key: aws.String("large")})
	require.NoError(t, err)
	seen := 0
	require.NoError(t, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		info, err := entry.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil // a journal that came and went
		}
		require.NoError(t, err)
		require.Zero(t, info.Mode().Perm()&0o077, "%s is %s", path, info.Mode())
		seen++
		return nil
	}))
	require.Greater(t, seen, 5)
	require.FileExists(t, filepath.Join(dir, "s3", "weir", "raw", "a", "b"))
}

func objectsSurviveKill(t *testing.T, dir string) {
	ctx := t.Context()
	before := start(t, dir, "--no-web")
	const key = "deliveries/2024/a b+c/ü.json"
	require.NoError(t, putOnce(ctx, before.s3(), key, body))
	require.Equal(t, http.StatusPreconditionFailed, statusOf(putOnce(ctx, before.s3(), key, "other")))
	before.kill()

	after := start(t, dir, "--no-web").s3()
	require.Equal(t, http.StatusPreconditionFailed, statusOf(putOnce(ctx, after, key, "other")))
	head, err := after.HeadObject(ctx, &s3.HeadObjectInput{Bucket: aws.String("weir"), Key: aws.String(key), ChecksumMode: types.ChecksumModeEnabled})
	require.NoError(t, err)
	require.Equal(t, bodySHA256(), aws.ToString(head.ChecksumSHA256))
	require.Equal(t, int64(len(body)), aws.ToInt64(head.ContentLength))
	require.Equal(t, map[string]string{"record": "r1"}, head.Metadata)
	require.Equal(t, body, get(t, after, key, nil))
	require.Equal(t, body[4:9], get(t, after, key, aws.String("bytes=4-8")))
}

func get(t *testing.T, c *s3.Client, key string, byteRange *string) string {
	t.Helper()
	got, err := c.GetObject(t.Context(), &s3.GetObjectInput{Bucket: aws.String("weir"), Key: aws.String(key), Range: byteRange})
	require.NoError(t, err)
	defer func() { _ = got.Body.Close() }()
	content, err := io.ReadAll(got.Body)
	require.NoError(t, err)
	return string(content)
}

func TestConditionalWrites(t *testing.T) {
	c := start(t, t.TempDir(), "--no-web").s3()
	ctx := t.Context()

	t.Run("one of many wins", func(t *testing.T) {
		var won, lost atomic.Int32
		var writers sync.WaitGroup
		for i := range 20 {
			writers.Go(func() {
				switch err := putOnce(ctx, c, "contested", strings.Repeat("x", 1000+i)); {
				case err == nil:
					won.Add(1)
				case statusOf(err) == http.StatusPreconditionFailed || statusOf(err) == http.StatusConflict:
					lost.Add(1)
				}
			})
		}
		writers.Wait()
		require.EqualValues(t, 1, won.Load())
		require.EqualValues(t, 19, lost.Load())
	})
	t.Run("If-Match", func(t *testing.T) {
		require.NoError(t, putOnce(ctx, c, "versioned", body))
		head, err := c.HeadObject(ctx, &s3.HeadObjectInput{Bucket: aws.String("weir"), Key: aws.String("versioned")})
		require.NoError(t, err)
		put := &s3.PutObjectInput{Bucket: aws.String("weir"), Key: aws.String("versioned"), Body: strings.NewReader("two"), IfMatch: head.ETag}
		_, err = c.PutObject(ctx, put)
		require.NoError(t, err)
		put.Body = strings.NewReader("three")
		_, err = c.PutObject(ctx, put)
		require.Equal(t, http.StatusPreconditionFailed, statusOf(err))
		require.Equal(t, "two", get(t, c, "versioned", nil))
	})
	t.Run("wrong checksum is refused", func(t *testing.T) {
		_, err := c.PutObject(ctx, &s3.PutObjectInput{
			Bucket: aws.String("weir"), Key: aws.String("damaged"), Body: strings.NewReader("not the body"), ChecksumSHA256: aws.String(bodySHA256()),
		})
		require.Equal(t, http.StatusBadRequest, statusOf(err))
		_, err = c.HeadObject(ctx, &s3.HeadObjectInput{Bucket: aws.String("weir"), Key: aws.String("damaged")})
		require.Equal(t, http.StatusNotFound, statusOf(err))
	})
}

func TestPresignedLinks(t *testing.T) {
	c := start(t, t.TempDir(), "--no-web").s3()
	ctx := t.Context()
	presign := s3.NewPresignClient(c, s3.WithPresignExpires(time.Minute))

	put, err := presign.PresignPutObject(ctx, &s3.PutObjectInput{Bucket: aws.String("weir"), Key: aws.String("uploads/list.csv")})
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, plainHTTP(t, http.MethodPut, put.URL, put.SignedHeader, body).StatusCode)

	link, err := presign.PresignGetObject(ctx, &s3.GetObjectInput{Bucket: aws.String("weir"), Key: aws.String("uploads/list.csv")})
	require.NoError(t, err)
	answer := plainHTTP(t, http.MethodGet, link.URL, nil, "")
	content, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, answer.StatusCode)
	require.Equal(t, body, string(content))

	require.Equal(t, http.StatusForbidden, plainHTTP(t, http.MethodGet, link.URL+"0", nil, "").StatusCode)
}

func plainHTTP(t *testing.T, method, url string, header http.Header, content string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, bytes.NewReader([]byte(content)))
	require.NoError(t, err)
	for name, values := range header {
		req.Header[name] = values
	}
	answer, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	t.Cleanup(func() { _ = answer.Body.Close() })
	return answer
}

func TestBucketsArePrivate(t *testing.T) {
	p := start(t, t.TempDir(), "--no-web")
	require.Equal(t, http.StatusForbidden, plainHTTP(t, http.MethodGet, p.ready.S3+"/weir", nil, "").StatusCode)
}
