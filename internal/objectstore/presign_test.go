package objectstore

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/stretchr/testify/require"
)

// signer opens a store that signs with the given credential.
func signer(value aws.Credentials, err error) *Store {
	provider := aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) { return value, err })
	return open(Options{Endpoint: "https://s3.example.com", Bucket: "weir", PathStyle: true}, provider, "us-east-1")
}

func lasting() aws.Credentials {
	return aws.Credentials{AccessKeyID: testKey, SecretAccessKey: testSecret}
}

func expiring(after time.Duration) aws.Credentials {
	value := lasting()
	value.SessionToken, value.CanExpire, value.Expires = "token", true, time.Now().Add(after)
	return value
}

func TestLinkSignsNothingButTheHost(t *testing.T) {
	t.Parallel()
	for name, value := range map[string]aws.Credentials{"lasting": lasting(), "with a token": expiring(time.Hour)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			link, err := signer(value, nil).PresignGet(t.Context(), "results/acme/ü +%.json", time.Minute)
			require.NoError(t, err)
			u, err := url.Parse(link.URL)
			require.NoError(t, err)
			require.Equal(t, "/weir/results/acme/ü +%.json", u.Path)
			query := u.Query()
			require.Equal(t, "host", query.Get("X-Amz-SignedHeaders"), "a browser sends no header that is not its own")
			require.Equal(t, "60", query.Get("X-Amz-Expires"))
			query.Del("X-Amz-Security-Token")
			require.ElementsMatch(t, []string{
				"X-Amz-Algorithm", "X-Amz-Credential", "X-Amz-Date", "X-Amz-Expires", "X-Amz-SignedHeaders", "X-Amz-Signature", "x-id",
			}, keys(query))
			require.NotContains(t, link.URL, testSecret)
		})
	}
}

func keys(query url.Values) []string {
	var all []string
	for key := range query {
		all = append(all, key)
	}
	return all
}

func TestLinkLivesNoLongerThanItsCredential(t *testing.T) {
	t.Parallel()
	const week = 7 * 24 * time.Hour
	for _, c := range []struct {
		value         aws.Credentials
		asked, expect time.Duration
		capped        bool
	}{
		{lasting(), week, week, false},
		{lasting(), 90*time.Second + 700*time.Millisecond, 90 * time.Second, false},
		{expiring(time.Hour), week, time.Hour, true},
		{expiring(time.Hour), 2 * time.Hour, time.Hour, true},
		{expiring(time.Hour), 30 * time.Minute, 30 * time.Minute, false},
		{expiring(2 * week), week, week, false},
	} {
		link, err := signer(c.value, nil).PresignGet(t.Context(), "k", c.asked)
		require.NoError(t, err)
		require.Equal(t, c.capped, link.Capped, "asked %s of %s", c.asked, c.expect)
		require.WithinDuration(t, time.Now().Add(c.expect), link.ExpiresAt, 10*time.Second)
		if c.capped {
			require.False(t, link.ExpiresAt.After(c.value.Expires), "%s is after %s", link.ExpiresAt, c.value.Expires)
		}
	}
}

func TestLinksThatCannotBe(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		store *Store
		life  time.Duration
		words string
	}{
		"more than a week":   {signer(lasting(), nil), 7*24*time.Hour + time.Second, "7 days"},
		"no life":            {signer(lasting(), nil), 0, "7 days"},
		"expired credential": {signer(expiring(-time.Minute), nil), time.Hour, "credential expires"},
		"no credential":      {signer(aws.Credentials{}, errors.New("nobody is here")), time.Hour, "nobody is here"},
	} {
		_, err := c.store.PresignGet(t.Context(), "some/key", c.life)
		require.ErrorContains(t, err, c.words, name)
		require.ErrorContains(t, err, "some/key", name)
	}
}

func TestLinkIsNotPrinted(t *testing.T) {
	t.Parallel()
	link, err := signer(expiring(time.Hour), nil).PresignGet(t.Context(), "results/file.json", time.Minute)
	require.NoError(t, err)
	for _, printed := range []string{link.String(), fmt.Sprint(link), fmt.Sprintf("%v %+v %s", link, &link, link)} {
		require.Contains(t, printed, "https://s3.example.com/weir/results/file.json")
		require.NotContains(t, printed, "Signature")
		require.NotContains(t, printed, testKey)
		require.NotContains(t, printed, "token")
	}
	require.NotContains(t, Link{URL: "http://h:port/?X-Amz-Signature=1"}.String(), "Signature")
}
