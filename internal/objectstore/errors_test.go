package objectstore

import (
	"errors"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
)

func TestKindsOfErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		status int
		code   string
		kind   error
	}{
		{404, "NoSuchKey", collection.ErrObjectMissing},
		{404, "", nil},
		{404, "NoSuchBucket", nil},
		{404, "XAdminUserNotFound", collection.ErrStoreDenied},
		{401, "Unauthorized", collection.ErrStoreDenied},
		{403, "AccessDenied", collection.ErrStoreDenied},
		{403, "InvalidAccessKeyId", collection.ErrStoreDenied},
		{403, "SignatureDoesNotMatch", collection.ErrStoreDenied},
		{403, "RequestTimeTooSkewed", collection.ErrStoreDenied},
		{400, "ExpiredToken", collection.ErrStoreDenied},
		{400, "InvalidToken", collection.ErrStoreDenied},
		{400, "BadDigest", nil},
		{405, "MethodNotAllowed", nil},
		{409, "OperationAborted", nil},
		{412, "PreconditionFailed", nil},
		{429, "TooManyRequests", nil},
		{500, "InternalError", nil},
		{503, "SlowDown", nil},
	} {
		t.Run(http.StatusText(c.status)+" "+c.code, func(t *testing.T) {
			t.Parallel()
			fake := newScript(t, answer{status: c.status, code: c.code})
			_, err := fake.store(t).Get(t.Context(), "some/key", 10)
			requireKind(t, err, c.kind)
			require.ErrorContains(t, err, "get object some/key in bucket weir at "+fake.URL)
			require.NotContains(t, err.Error(), testSecret)
			require.NotContains(t, err.Error(), testKey)
			if c.code != "" && c.kind != collection.ErrObjectMissing {
				require.ErrorContains(t, err, itoa(c.status)+" "+c.code+": Sorry.")
			}
		})
	}
}

// requireKind says that a caller can decide on this kind and no other; nil means that a later attempt may help.
func requireKind(t *testing.T, err, want error) {
	t.Helper()
	require.Error(t, err)
	for _, kind := range []error{collection.ErrObjectMissing, collection.ErrStoreDenied} {
		require.Equal(t, kind == want, errors.Is(err, kind), "%v: %v", kind, err)
	}
}

func TestHeadFindsOutWhatIsMissing(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answers []answer
		kind    error
	}{
		"the object":        {[]answer{{status: 404}, {status: 404, code: "NoSuchKey"}}, collection.ErrObjectMissing},
		"the bucket":        {[]answer{{status: 404}, {status: 404, code: "NoSuchBucket"}}, nil},
		"the access key":    {[]answer{{status: 404}, {status: 404, code: "XAdminUserNotFound"}}, collection.ErrStoreDenied},
		"a fresh token":     {[]answer{{status: 400}, {status: 400, code: "ExpiredToken"}}, collection.ErrStoreDenied},
		"the right":         {[]answer{{status: 403}, {status: 403, code: "AccessDenied"}}, collection.ErrStoreDenied},
		"the store":         {[]answer{{status: 404}, {status: 404, body: "<html>nothing here</html>"}}, nil},
		"it appeared":       {[]answer{{status: 404}, {status: 206, body: "x"}}, nil},
		"it appeared empty": {[]answer{{status: 404}, {status: 416, code: "InvalidRange"}}, nil},
		"everything":        {[]answer{{status: 404}, {status: 500, code: "InternalError"}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := newScript(t, c.answers...).store(t).Head(t.Context(), "some/key")
			requireKind(t, err, c.kind)
			require.ErrorContains(t, err, "head object some/key in bucket weir")
		})
	}
}

func TestCheckSaysWhatToDo(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answers []answer
		denied  bool
		words   []string
	}{
		"expired token": {
			[]answer{{status: 400}, {status: 400, code: "ExpiredToken"}}, true,
			[]string{"refused the credentials", "400 ExpiredToken", "check the access key"},
		},
		"wrong secret": {
			[]answer{{status: 403}, {status: 403, code: "SignatureDoesNotMatch"}}, true, []string{"403 SignatureDoesNotMatch"},
		},
		"may list but not look": {[]answer{{status: 403}, {status: 200, body: "<ListBucketResult/>"}}, true, []string{"403"}},
		"unknown key": {
			[]answer{{status: 404}, {status: 404, code: "XAdminUserNotFound"}}, true, []string{"404 XAdminUserNotFound"},
		},
		"no bucket": {
			[]answer{{status: 404}, {status: 404, code: "NoSuchBucket"}}, false, []string{"has no bucket weir", "create it"},
		},
		"no store": {
			[]answer{{status: 404}, {status: 404, body: "<html>nothing here</html>"}}, false, []string{"404", "check the endpoint"},
		},
		"another region": {
			[]answer{{status: 301, header: map[string]string{"X-Amz-Bucket-Region": "eu-west-1"}}}, false,
			[]string{"is in region eu-west-1", "set the region"},
		},
		"broken": {[]answer{{status: 500}}, false, []string{"500", "log"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fake := newScript(t, c.answers...)
			err := fake.store(t).Check(t.Context())
			for _, word := range append(c.words, fake.URL, "weir") {
				require.ErrorContains(t, err, word)
			}
			require.NotContains(t, err.Error(), testSecret)
			require.NotContains(t, err.Error(), "\n")
			if c.denied {
				requireKind(t, err, collection.ErrStoreDenied)
			} else {
				requireKind(t, err, nil)
			}
		})
	}
}
