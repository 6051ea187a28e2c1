package integration

import (
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/integration/harness"
	"github.com/weir-collect/weir/internal/objectstore"
	"github.com/weir-collect/weir/internal/stack/stacktest"
)

// inboxOf makes a bucket of a customer's own on the stack's gateway.
func inboxOf(t *testing.T, name string) *objectstore.Store {
	t.Helper()
	s := stacktest.Shared(t)
	client := s3.New(s3.Options{
		BaseEndpoint: &s.S3, Region: s.Region, UsePathStyle: true,
		Credentials: credentials.NewStaticCredentialsProvider(s.AccessKey, s.SecretKey, ""),
	})
	_, err := client.CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: aws.String(name)})
	require.NoError(t, err)
	store, err := objectstore.Open(t.Context(), objectstore.Options{
		Endpoint: s.S3, Region: s.Region, Bucket: name, PathStyle: true, AccessKey: s.AccessKey, SecretKey: s.SecretKey,
	})
	require.NoError(t, err)
	return store
}

// destinationOf is a customer's destination on the stack's gateway, as the configuration has it.
func destinationOf(t *testing.T, bucket, prefix string) string {
	s := stacktest.Shared(t)
	return fmt.Sprintf("destination: {endpoint: %q, region: %s, bucket: %s, path_style: true, prefix: %s, objects: true, "+
		"access_key: \"env:WEIR_HARNESS_ACCESS_KEY\", secret_key: \"env:WEIR_HARNESS_SECRET_KEY\"}", s.S3, s.Region, bucket, prefix)
}

// TestShipCSVToACustomersBucket: a delivery of tables reaches a bucket of the customer's own, is what the manifest says there,
// and is brought again without collecting when it was lost at either end.
func TestShipCSVToACustomersBucket(t *testing.T) {
	books := site(t, "127.0.0.1")
	bucket := fmt.Sprintf("inbox-%d", time.Now().UnixNano())
	s := stacktest.Shared(t)
	f := fleet(t, harness.Options{
		Sources:   []harness.Source{{Name: "books", Host: books.Host, Ceiling: 4}},
		Customers: []harness.Customer{{Name: "acme", More: []string{"layout: {format: csv, records: 3}", destinationOf(t, bucket, "in/")}}},
	})
	inbox := inboxOf(t, bucket)
	startWorker(t, f)
	submission := submitCSV(t, f, pages(7, books))
	status := wait(t, f, submission, time.Minute)
	require.Equal(t, collection.StateComplete, status.State, status.Detail)

	rows := requireShipped(t, inbox, submission, status.Result.ManifestSHA256)
	require.Len(t, rows, 7)
	asked := books.Ledger().Requests

	// A part is lost in weir's bucket, and another at the customer's; both come back as they were.
	mine, theirs := "results/acme/"+submission+"/results-00001.csv", "in/"+submission+"/results-00002.csv"
	require.NoError(t, f.Store.Delete(t.Context(), []string{mine}))
	require.NoError(t, inbox.Delete(t.Context(), []string{theirs}))
	result, err := f.Client.Redeliver(t.Context(), submission, "")
	require.NoError(t, err)
	require.NotNil(t, result.Settled, "the lost part was made again")
	require.Equal(t, status.Result.ManifestSHA256, result.Shipped.ManifestSHA256)
	require.Equal(t, 7, result.Shipped.Objects)
	require.Equal(t, rows, requireShipped(t, inbox, submission, status.Result.ManifestSHA256))
	require.Equal(t, asked, books.Ledger().Requests, "nothing is collected again")

	history := f.Engine.GetWorkflowHistory(t.Context(), submission, "", false, 0)
	for history.HasNext() {
		event, err := history.Next()
		require.NoError(t, err)
		require.NotContains(t, event.String(), "HARNESS_SECRET_KEY", "not even a reference enters a history")
		require.NotContains(t, event.String(), s.SecretKey)
	}
}

func digestOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// requireShipped checks a delivery as the customer would, and returns its rows.
func requireShipped(t *testing.T, inbox *objectstore.Store, submission, digest string) [][]string {
	t.Helper()
	get := func(name string) string {
		body, err := inbox.Get(t.Context(), "in/"+submission+"/"+name, 1<<20)
		require.NoError(t, err, name)
		return string(body)
	}
	text := get("manifest.json")
	require.Equal(t, digest, digestOf(text))
	require.Equal(t, digest+"  manifest.json\n", get("manifest.sha256"))
	var manifest collection.Manifest
	require.NoError(t, json.Unmarshal([]byte(text), &manifest))
	require.Len(t, manifest.Files, 3)
	var rows [][]string
	for _, file := range manifest.Files {
		body := get(file.Name)
		require.Equal(t, file.SHA256, digestOf(body), file.Name)
		part, err := csv.NewReader(strings.NewReader(body)).ReadAll()
		require.NoError(t, err)
		require.Equal(t, []string{"record", "key", "source", "url", "fetched_at", "price", "title"}, part[0])
		rows = append(rows, part[1:]...)
	}
	for _, row := range rows {
		var d collection.DeliveredDocument
		require.NoError(t, json.Unmarshal([]byte(get("records/"+row[0]+".json")), &d))
		require.Equal(t, row[1], d.Key)
	}
	return rows
}

// playShipped has a customer with a destination, and a part that is lost in weir's bucket and made again.
func playShipped(p *scene) {
	s := stacktest.Shared(p.T)
	p.fleet = fleet(p.T, harness.Options{
		Sources:   []harness.Source{{Name: "books", Host: p.books.Host, Ceiling: 1}},
		Customers: []harness.Customer{{Name: "acme", More: []string{destinationOf(p.T, s.Bucket, "inbox/")}}},
	})
	startWorker(p.T, p.fleet)
	p.submit(pages(1, p.books))
	p.ends(collection.StateComplete)
	require.NoError(p, p.fleet.Store.Delete(p.Context(), []string{collection.ResultsKey("acme", p.id, 1)}))
	_, err := p.fleet.Client.Redeliver(p.Context(), p.id, "")
	require.NoError(p, err)
}
