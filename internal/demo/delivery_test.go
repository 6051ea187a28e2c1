package demo

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/starter"
)

// TestFailedFetchDoesNotHandTheLinkOn: whoever reads why a file could not be fetched must not be able to fetch it.
func TestFailedFetchDoesNotHandTheLinkOn(t *testing.T) {
	t.Parallel()
	refusing := httptest.NewServer(http.NotFoundHandler())
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	t.Cleanup(refusing.Close)
	for _, address := range []string{refusing.URL, closed.URL, "http://127.0.0.1:port"} {
		l := starter.Link{Name: "results-00001.jsonl.gz", URL: address + "/weir/x?X-Amz-Signature=canary"}
		_, err := fetchAll(t.Context(), []starter.Link{l})
		require.ErrorContains(t, err, "fetch results-00001.jsonl.gz by its link")
		require.NotContains(t, err.Error(), "canary")
	}
}
