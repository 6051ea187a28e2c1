package objectstore

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/stretchr/testify/require"
)

// TestReplacedSecretSignsAtOnce: the SDK's own signer would go on with the old secret of an access key until midnight.
func TestReplacedSecretSignsAtOnce(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	sign := func(s *changingSigner, secret string) string {
		r, err := http.NewRequest(http.MethodGet, "https://s3.example/weir/a%20b", nil)
		require.NoError(t, err)
		require.NoError(t, s.SignHTTP(t.Context(), aws.Credentials{AccessKeyID: "A", SecretAccessKey: secret}, r, "UNSIGNED-PAYLOAD", "s3", "us-east-1", at))
		return r.Header.Get("Authorization")
	}
	own := func(secret string) string {
		r, err := http.NewRequest(http.MethodGet, "https://s3.example/weir/a%20b", nil)
		require.NoError(t, err)
		sdk := v4.NewSigner(func(o *v4.SignerOptions) { o.DisableURIPathEscaping = true })
		require.NoError(t, sdk.SignHTTP(t.Context(), aws.Credentials{AccessKeyID: "A", SecretAccessKey: secret}, r, "UNSIGNED-PAYLOAD", "s3", "us-east-1", at))
		return r.Header.Get("Authorization")
	}
	s := &changingSigner{}
	require.NotEqual(t, own("first"), own("second"))
	for _, secret := range []string{"first", "first", "second", "first"} {
		require.Equal(t, own(secret), sign(s, secret))
	}
}

func TestKeysAreAskedForEveryRequest(t *testing.T) {
	t.Parallel()
	script := newScript(t, answer{status: http.StatusOK, header: map[string]string{"Content-Length": "0"}})
	access, failing := "FIRST", error(nil)
	store, err := Open(t.Context(), Options{
		Endpoint: script.URL, Bucket: "weir", PathStyle: true, HTTPClient: script.Client(),
		Keys: func() (string, string, error) { return access, testSecret, failing },
	})
	require.NoError(t, err)
	_, err = store.Head(t.Context(), "a")
	require.NoError(t, err)
	access = "SECOND"
	_, err = store.Head(t.Context(), "a")
	require.NoError(t, err)
	require.Contains(t, script.requests()[0].header.Get("Authorization"), "Credential=FIRST/")
	require.Contains(t, script.requests()[1].header.Get("Authorization"), "Credential=SECOND/")

	link, err := store.PresignGet(t.Context(), "a", MaxLinkLife)
	require.NoError(t, err)
	require.False(t, link.Capped, "keys that are read again do not end")
	require.Contains(t, link.URL, "SECOND")

	failing = errors.New("the vault is sealed")
	_, err = store.Head(t.Context(), "a")
	require.ErrorContains(t, err, "the vault is sealed")
	require.Len(t, script.requests(), 2)
}
