package objectstore

import (
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// C6 74: a link signs the host alone: whoever opens it in a browser sends no header that an SDK would.
func TestCase74LinkSignsTheHostAlone(t *testing.T) {
	t.Parallel()
	link, err := signer(lasting(), nil).PresignGet(t.Context(), "results/acme/s1/manifest.json", time.Hour)
	require.NoError(t, err)
	u, err := url.Parse(link.URL)
	require.NoError(t, err)
	require.Equal(t, []string{"host"}, u.Query()["X-Amz-SignedHeaders"])
}

// C6 75: a link lives as long as was asked, or as the credential that signs it, and says which; more than a week is refused.
// The life stands in X-Amz-Expires alone, not in the date form that an object's own Expires header has.
func TestCase75LinkLife(t *testing.T) {
	t.Parallel()
	const week = 604_800 * time.Second
	link, err := signer(expiring(time.Hour), nil).PresignGet(t.Context(), "k", week)
	require.NoError(t, err)
	require.True(t, link.Capped, "it says so")
	require.WithinDuration(t, time.Now().Add(time.Hour), link.ExpiresAt, 10*time.Second)

	link, err = signer(lasting(), nil).PresignGet(t.Context(), "k", week)
	require.NoError(t, err)
	require.False(t, link.Capped)
	u, err := url.Parse(link.URL)
	require.NoError(t, err)
	require.Equal(t, "604800", u.Query().Get("X-Amz-Expires"))
	require.Empty(t, u.Query().Get("Expires"))

	_, err = signer(lasting(), nil).PresignGet(t.Context(), "k", week+time.Second)
	require.ErrorContains(t, err, "7 days")
}
