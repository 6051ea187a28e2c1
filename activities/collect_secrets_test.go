package activities

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/failure"
)

// doubted takes down which secrets were doubted.
type doubted struct{ references []string }

func (d *doubted) Doubt(reference string) { d.references = append(d.references, reference) }

var (
	unauthorised = failure.Observation{Status: 401, Message: "GET /a answered 401"}
	forbidden    = failure.Observation{Status: 403, Message: "GET /a answered 403"}
)

// withKey is a collector whose source sends secrets.
func withKey(fetch fetchFunc) (*collecting, *doubted) {
	c, d := newCollecting(fetch), &doubted{}
	src := patience
	src.Request.SecretHeaders = map[string]string{"X-Key": "env:KEY"}
	src.Request.SecretQuery = collection.QuerySecrets{"api_key": "file:key"}
	c.Directory, c.Secrets = directory{sources: []collection.Source{src}}, d
	return c, d
}

// TestCollectWithARotatedKey: a record that is turned away because the worker still used an old key ends nothing: the key is read
// again, and the record tried once more when that is certain.
func TestCollectWithARotatedKey(t *testing.T) {
	c, d := withKey(answers(unauthorised, success))
	tr := &trial{}
	_, err := c.attempt(t, tr)
	f := requireTransient(t, err, collection.ReasonStoreUnavailable, unauthorised.Message, "last met: auth_required")
	require.Greater(t, f.after, time.Minute, "longer than any worker uses what it has read of a secret")
	require.Equal(t, collection.ReasonAuthRequired, f.Trail.Attempts[0].Reason)
	require.Zero(t, tr.progress(t).Faults)
	require.ElementsMatch(t, []string{"env:KEY", "file:key"}, d.references)
	require.Equal(t, []reported{{"books", collection.ReasonAuthRequired, 0}}, c.permits.reports, "the source hears what was met")
	require.False(t, c.gate.down, "the store is not what is not available")
	out, err := c.attempt(t, tr.next(t))
	require.NoError(t, err)
	require.Equal(t, 2, out.Attempts)
}

// TestCollectWithAWrongKey: what is turned away with the key read again ends as what it is.
func TestCollectWithAWrongKey(t *testing.T) {
	c, _ := withKey(answers(unauthorised, broken500, unauthorised, unauthorised))
	tr := c.triedAgain(t, collection.ReasonStoreUnavailable, collection.ReasonServerError, collection.ReasonStoreUnavailable)
	_, err := c.attempt(t, tr)
	f := requireFinal(t, err, collection.ReasonAuthRequired, unauthorised.Message)
	require.Equal(t, 4, f.Attempts)
}

// TestCollectForbiddenWithAKey: a refusal is final, as it was said; but some targets call a key forbidden that they do not know, and
// the next record is to be asked for with the key of now.
func TestCollectForbiddenWithAKey(t *testing.T) {
	c, d := withKey(answers(forbidden))
	_, err := c.attempt(t, &trial{})
	requireFinal(t, err, collection.ReasonBlocked)
	require.Len(t, d.references, 2)

	c, d = withKey(answers(absent))
	_, err = c.attempt(t, &trial{})
	require.NoError(t, err)
	require.Empty(t, d.references, "it has accepted the key")

	c, _ = withKey(answers(unauthorised))
	c.Secrets = nil
	_, err = c.attempt(t, &trial{})
	requireTransient(t, err, collection.ReasonStoreUnavailable)
}
