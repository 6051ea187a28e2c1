package doctor_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"github.com/weir-collect/weir/internal/doctor"
	"github.com/weir-collect/weir/internal/lease"
	"github.com/weir-collect/weir/internal/objectstore"
	"github.com/weir-collect/weir/internal/stack"
	"github.com/weir-collect/weir/internal/stack/stacktest"
)

func TestMain(m *testing.M) { stacktest.Main(m) }

// TestDoctorOfTheStack looks at the real stack: what it does is as it should be, and nothing stays behind.
func TestDoctorOfTheStack(t *testing.T) {
	s := stacktest.Shared(t)
	c, err := client.Dial(client.Options{HostPort: s.Temporal, Namespace: s.Namespace})
	require.NoError(t, err)
	defer c.Close()
	p := patient(t, fmt.Sprintf(`
user_agent: example-bot/1.0 (+https://example.com/bot)
s3: {endpoint: %q, bucket: %s, region: %s, path_style: true, access_key: "env:A", secret_key: "env:S"}
sources:
  - {name: books, hosts: [books.example], ceiling: 2, parse: {type: json, fields: [{name: t, jq: .t}]}}
customers: [{name: acme}]
`, s.S3, s.Bucket, s.Region), nil, nil)
	p.Secret = func(ref string) (string, error) {
		return map[string]string{"env:A": s.AccessKey, "env:S": s.SecretKey}[ref], nil
	}
	p.Now, p.Unique = time.Now, uuid.NewString
	p.Dial = func(context.Context) (*doctor.Engine, error) {
		return &doctor.Engine{
			Service: c.WorkflowService(), Operator: c.OperatorService(), Address: s.Temporal, Namespace: s.Namespace,
			Table: func(context.Context) ([]lease.SourceView, error) { return nil, nil },
		}, nil
	}
	p.Open = func(ctx context.Context) (doctor.Bucket, func() (time.Duration, bool), error) {
		return doctor.OpenBucket(ctx, p.Config, p.Secret, time.Now)
	}
	found := map[string][]doctor.Finding{}
	for _, f := range examined(t, p) {
		t.Logf("%s: %s: %s", f.Check, f.Level, f.What)
		found[f.Check] = append(found[f.Check], f)
	}
	// A machine whose tasks come late cannot be measured, but some time they come in time.
	for tries := 1; tries < 10 && doctor.Worst(found["fairness"]) == doctor.Warn; tries++ {
		found["fairness"] = examined(t, p, "fairness")
		t.Log(found["fairness"])
	}
	for check, want := range map[string]doctor.Level{
		"temporal": doctor.OK, "search-attributes": doctor.OK, "partitions": doctor.OK, "fairness": doctor.OK,
		"bucket": doctor.OK, "conditional-writes": doctor.OK, "checksums": doctor.OK,
		"lifecycle": doctor.OK, "namespace": doctor.Warn, // the stack keeps a day
		"workers": doctor.Fail, "owner": doctor.Warn, // no worker runs
	} {
		require.Equal(t, want, doctor.Worst(found[check]), "%s: %+v", check, found[check])
	}
	// A machine that stands still between two looks at its own clock sees the other's ahead.
	require.NotEmpty(t, found["clocks"])
	require.NotEqual(t, doctor.Fail, doctor.Worst(found["clocks"]), "%+v", found["clocks"])
	requireNothingLeft(t, s, c)
}

// requireNothingLeft: no object of a check is in the bucket, and, as soon as Temporal has got round to it, no workflow.
func requireNothingLeft(t *testing.T, s *stack.Stack, c client.Client) {
	t.Helper()
	store, err := objectstore.Open(t.Context(), objectstore.Options{
		Endpoint: s.S3, Region: s.Region, Bucket: s.Bucket, PathStyle: true, AccessKey: s.AccessKey, SecretKey: s.SecretKey,
	})
	require.NoError(t, err)
	for info, err := range store.List(t.Context(), "doctor/") {
		require.NoError(t, err)
		require.Fail(t, "an object is left", info.Key)
	}
	require.Eventually(t, func() bool {
		count, err := c.CountWorkflow(t.Context(), &workflowservice.CountWorkflowExecutionsRequest{
			Namespace: s.Namespace, Query: `WorkflowType = "WeirDoctor"`,
		})
		return err == nil && count.GetCount() == 0
	}, 5*time.Minute, 200*time.Millisecond)
}

func TestOpenBucketNotesTheDate(t *testing.T) {
	t.Parallel()
	date := "Fri, 02 Jan 2026 12:00:30 GMT"
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Date"] = []string{date}
		if date == "" {
			w.Header()["Date"] = nil
		}
	}))
	defer site.Close()
	cfg := load(t, fmt.Sprintf(`s3: {endpoint: %q, bucket: weir, region: r, path_style: true, access_key: "env:A", secret_key: "env:S"}`, site.URL))
	secret := func(string) (string, error) { return "s", nil }
	b, skew, err := doctor.OpenBucket(t.Context(), cfg, secret, func() time.Time { return noon })
	require.NoError(t, err)
	_, known := skew()
	require.False(t, known, "nothing has been sent")
	require.NoError(t, b.Check(t.Context()))
	ahead, known := skew()
	require.True(t, known)
	require.Equal(t, 30*time.Second+500*time.Millisecond, ahead)

	date = ""
	b, skew, err = doctor.OpenBucket(t.Context(), cfg, secret, func() time.Time { return noon })
	require.NoError(t, err)
	require.NoError(t, b.Check(t.Context()))
	_, known = skew()
	require.False(t, known)

	site.Close()
	require.Error(t, b.Check(t.Context()))

	_, _, err = doctor.OpenBucket(t.Context(), cfg, func(string) (string, error) { return "", fmt.Errorf("no secret") }, time.Now)
	require.ErrorContains(t, err, "no secret")
}
