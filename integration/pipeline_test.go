package integration

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/integration/harness"
)

func TestEveryKindOfOutcome(t *testing.T) {
	books := site(t, "127.0.0.1")
	f := fleet(t, steady(harness.Options{Sources: []harness.Source{{Name: "books", Host: books.Host, Ceiling: 4}}}))
	startWorker(t, f)
	books.SetAnswer(func(w http.ResponseWriter, r *http.Request) bool {
		switch r.URL.Path {
		case "/gone":
			http.NotFound(w, r)
		case "/empty":
			w.Header().Set("Content-Type", "text/html")
			w.WriteHeader(http.StatusOK)
		case "/forbidden":
			http.Error(w, "no", http.StatusForbidden)
		case "/heals":
			if books.Asked("/heals") > 2 {
				return false
			}
			http.Error(w, "later", http.StatusInternalServerError)
		default:
			return false
		}
		return true
	})
	submission := submitCSV(t, f, "url,key,note\n"+
		books.URL+"/one,k1,first\n"+
		books.URL+"/one?,k1,the same key again\n"+
		books.URL+"/gone,,\n"+
		books.URL+"/empty,,\n"+
		books.URL+"/forbidden,,\n"+
		books.URL+"/heals,,\n"+
		"http://unknown.example/x,,\n"+
		"too,many,columns,here\n")
	status := wait(t, f, submission, time.Minute)

	var want collection.Tally
	want.Add(collection.OutcomeDelivered, "", 2)
	want.Add(collection.OutcomeGone, collection.ReasonGone, 1)
	want.Add(collection.OutcomeDeadLettered, collection.ReasonParseEmpty, 1)
	want.Add(collection.OutcomeDeadLettered, collection.ReasonBlocked, 1)
	want.Add(collection.OutcomeInvalid, collection.ReasonSourceUnknown, 1)
	want.Add(collection.OutcomeInvalid, collection.ReasonRowMalformed, 1)
	want.Add(collection.OutcomeDuplicate, collection.ReasonRowDuplicate, 1)
	require.Equal(t, want, status.Outcomes)
	require.Equal(t, collection.StatePartiallyFailed, status.State)
	require.Equal(t, 8, status.Expected)
	require.Equal(t, 3, books.Asked("/heals"))
	require.LessOrEqual(t, books.Ledger().Peak, 4)
}
