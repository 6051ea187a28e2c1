package doctor_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"

	"github.com/weir-collect/weir/internal/doctor"
	"github.com/weir-collect/weir/internal/lease"
	"github.com/weir-collect/weir/internal/objectstore"
	"github.com/weir-collect/weir/internal/objectstore/memstore"
)

func goodBucket() *bucket { return &bucket{Store: memstore.New()} }

func TestHealthy(t *testing.T) {
	t.Parallel()
	e, b := healthy(), goodBucket()
	p := patient(t, healthyConfig, e, b)
	found := examined(t, p)
	for _, f := range found {
		require.Equal(t, doctor.OK, f.Level, "%+v", f)
		require.NotEmpty(t, f.What)
		require.Empty(t, f.Mend)
	}
	require.Equal(t, doctor.OK, doctor.Worst(found))
	var names []string
	for _, f := range found {
		if !slices.Contains(names, f.Check) {
			names = append(names, f.Check)
		}
	}
	require.Equal(t, doctor.Names(doctor.Checks(t.Context(), p)), names, "in the order of the checks")
	require.Len(t, e.started, 3)
	require.ElementsMatch(t, e.started, e.terminated)
	require.ElementsMatch(t, e.started, e.deleted, "nothing stays in Temporal")
	require.Empty(t, b.left(t), "nor in the bucket")
	text, err := json.Marshal(found)
	require.NoError(t, err)
	require.NotContains(t, string(text), "hush")
}

// ill is what is wrong, and what one check then says.
type ill struct {
	check  string
	config string
	wrong  func(*engine, *bucket)
	level  doctor.Level
	what   string
	mend   string
}

func TestIll(t *testing.T) {
	t.Parallel()
	down := errors.New("it is down")
	for name, c := range map[string]ill{
		"no sources": {check: "config", config: "s3: {bucket: weir}\ncustomers: [{name: acme}]\n", level: doctor.Warn, what: "no source is configured", mend: "sources"},
		"no customers": {check: "config", config: "s3: {bucket: weir}\n", level: doctor.Warn,
			what: "no customer is configured", mend: "customers"},
		"no contact": {check: "user-agent", config: "user_agent: example-bot/1.0\ns3: {bucket: weir}\n", level: doctor.Warn,
			what: `user_agent is "example-bot/1.0", which holds no contact`, mend: "site's owner can ask"},
		"the program's own contact": {check: "user-agent", config: "s3: {bucket: weir}\n", level: doctor.Warn,
			what: "which names the program and not whoever runs it", mend: "site's owner can ask"},

		"old": {check: "temporal", wrong: func(e *engine, _ *bucket) { e.version = "1.27.4" }, level: doctor.Fail,
			what: "Temporal at 127.0.0.1:7233 is 1.27.4", mend: "upgrade it to 1.32"},
		"not quite new":   {check: "temporal", wrong: func(e *engine, _ *bucket) { e.version = "1.31.0-151.0" }, level: doctor.Warn, what: "1.31.0-151.0", mend: "upgrade"},
		"of no version":   {check: "temporal", wrong: func(e *engine, _ *bucket) { e.version = "dev" }, level: doctor.Warn, what: `"dev"`, mend: "1.32"},
		"no such service": {check: "temporal", wrong: func(e *engine, _ *bucket) { e.err = down }, level: doctor.Fail, what: "it is down", mend: "log"},

		"deleted namespace": {check: "namespace", wrong: func(e *engine, _ *bucket) { e.state = enumspb.NAMESPACE_STATE_DELETED }, level: doctor.Fail,
			what: "default is Deleted", mend: "use another"},
		"short retention": {check: "namespace", wrong: func(e *engine, _ *bucket) { e.retention = 24 * time.Hour }, level: doctor.Warn,
			what: "keeps what has ended for 1 day", mend: "--retention 168h0m0s"},
		"no namespace": {check: "namespace", wrong: func(e *engine, _ *bucket) { e.err = down }, level: doctor.Fail, what: "it is down", mend: "temporal.namespace"},

		"missing attribute": {check: "search-attributes", wrong: func(e *engine, _ *bucket) { delete(e.attributes, "WeirReason") }, level: doctor.Fail,
			what: "WeirReason is missing", mend: "search-attribute create --namespace default --name WeirReason --type Keyword"},
		"attribute of another type": {check: "search-attributes", level: doctor.Fail, what: "WeirSource is of type Text", mend: "--type Keyword",
			wrong: func(e *engine, _ *bucket) { e.attributes["WeirSource"] = enumspb.INDEXED_VALUE_TYPE_TEXT }},
		"attributes not told": {check: "search-attributes", wrong: func(e *engine, _ *bucket) { e.err = down }, level: doctor.Warn, what: "cannot be seen", mend: "Keyword"},

		"many partitions": {check: "partitions", wrong: func(e *engine, _ *bucket) { e.partitions = map[string]int{"collect.films": 4} }, level: doctor.Warn,
			what: "the queues of films have up to 4 partitions", mend: "matching.numTaskqueueReadPartitions"},
		"partitions not told": {check: "partitions", wrong: func(e *engine, _ *bucket) { e.err = down }, level: doctor.Warn,
			what: "cannot be seen from here: it is down", mend: "matching.numTaskqueueWritePartitions"},
		"nothing to have partitions": {check: "partitions", config: "s3: {bucket: weir}\n", level: doctor.Skipped, what: "no source"},

		"unfair": {check: "fairness", wrong: func(e *engine, _ *bucket) { e.unfair = true }, level: doctor.Warn,
			what: "another's single task came as number 11", mend: "set matching.enableFairness to true"},
		"fairness with partitions": {check: "fairness", wrong: func(e *engine, _ *bucket) { e.partitions = map[string]int{"*": 4} }, level: doctor.Warn,
			what: "cannot be measured: a queue has 4 partitions here", mend: "matching.enableFairness"},
		"fairness not measured": {check: "fairness", wrong: func(e *engine, _ *bucket) { e.pollErr = down }, level: doctor.Warn,
			what: "could not be measured: take a workflow's task: it is down", mend: "matching.enableFairness"},
		"no start": {check: "fairness", wrong: func(e *engine, _ *bucket) { e.err = down }, level: doctor.Warn, what: "start a workflow: it is down", mend: "matching"},

		"no planner": {check: "workers", wrong: func(e *engine, _ *bucket) { e.unpolled = []string{"weir-plan"} }, level: doctor.Fail,
			what: "nobody polls weir-plan", mend: "weir worker --role plan"},
		"no worker": {check: "workers", level: doctor.Fail, what: "no worker runs: no queue is polled", mend: "weir worker",
			wrong: func(e *engine, _ *bucket) {
				e.unpolled = []string{"weir", "weir-plan", "parse", "deliver", "weir-fleet", "collect.books", "collect.films"}
			}},
		"no collector": {check: "workers", wrong: func(e *engine, _ *bucket) { e.unpolled = []string{"collect.books"} }, level: doctor.Warn,
			what: "nobody collects from books", mend: "role collect"},
		"paused source": {check: "workers", level: doctor.OK, what: "closed, so not polled: books",
			wrong: func(e *engine, _ *bucket) { e.unpolled, e.table[0].Open = []string{"collect.books"}, false }},
		"pollers not told": {check: "workers", wrong: func(e *engine, _ *bucket) { e.err = down }, level: doctor.Warn, what: "who polls cannot be seen", mend: "weir sources"},

		"workers that are gone": {check: "workers", wrong: func(e *engine, _ *bucket) { e.tableErr = down }, level: doctor.Warn,
			what: "queues were polled within two minutes, but no worker answers now: it is down", mend: "one with the role fleet"},
		"the one collector lost": {check: "workers", level: doctor.Warn, what: "but the lease of the one worker that collects is lost", mend: "sources --verbose",
			wrong: func(e *engine, _ *bucket) {
				e.table = []lease.SourceView{{Source: "books", Open: true, Workers: []lease.WorkerView{{Worker: "a", Lost: true}}}}
			}},
		"all collectors lost": {check: "workers", level: doctor.Warn, what: "the lease of each of the 2 workers that collect is lost", mend: "role collect",
			wrong: func(e *engine, _ *bucket) {
				over := noon.Add(-31 * time.Second) // which the table does not know, since nothing has happened to it
				e.table = []lease.SourceView{{Source: "books", Workers: []lease.WorkerView{{Worker: "a", LeaseEnds: over}, {Worker: "b", Lost: true}}}}
			}},
		"just renewing": {check: "workers", level: doctor.OK, what: "every queue was polled within two minutes",
			wrong: func(e *engine, _ *bucket) {
				e.table = []lease.SourceView{{Source: "books", Workers: []lease.WorkerView{{Worker: "a", LeaseEnds: noon.Add(-29 * time.Second)}}}}
			}},
		"no owner yet, but pollers": {check: "workers", wrong: func(e *engine, _ *bucket) { e.table = nil }, level: doctor.OK, what: "every queue was polled"},

		"no owner": {check: "owner", wrong: func(e *engine, _ *bucket) { e.ownerErr = errMissing }, level: doctor.Warn,
			what: "weir/ceilings does not run yet", mend: "weir worker"},
		"ended owner": {check: "owner", wrong: func(e *engine, _ *bucket) { e.owner = enumspb.WORKFLOW_EXECUTION_STATUS_TERMINATED }, level: doctor.Fail,
			what: "weir/ceilings is Terminated", mend: "starts it anew"},
		"owner not described": {check: "owner", wrong: func(e *engine, _ *bucket) { e.ownerErr = down }, level: doctor.Fail, what: "it is down", mend: "log"},
		"silent owner": {check: "owner", wrong: func(e *engine, _ *bucket) { e.tableErr = down }, level: doctor.Fail,
			what: "does not answer: it is down", mend: "role fleet"},
		"nobody holds": {check: "owner", level: doctor.Warn, what: "no worker holds a lease", mend: "role collect",
			wrong: func(e *engine, _ *bucket) { e.table = []lease.SourceView{{Source: "books"}, {Source: "films"}} }},
		"another configuration": {check: "owner", wrong: func(e *engine, _ *bucket) { e.table = e.table[:1] }, level: doctor.Warn,
			what: "the fleet does not know films", mend: "anew"},

		"no bucket":  {check: "bucket", wrong: func(_ *engine, b *bucket) { b.checkErr = down }, level: doctor.Fail, what: "it is down", mend: "first"},
		"overwrites": {check: "conditional-writes", wrong: func(_ *engine, b *bucket) { b.overwrites = true }, level: doctor.Fail, what: "the bucket took it", mend: "If-None-Match"},
		"read only":  {check: "conditional-writes", wrong: func(_ *engine, b *bucket) { b.createErr = down }, level: doctor.Fail, what: "it is down", mend: "s3:PutObject"},
		"never deletes": {check: "conditional-writes", wrong: func(_ *engine, b *bucket) { b.deleteErr = down }, level: doctor.Warn,
			what: "doctor/trial-1 could not be removed: it is down", mend: "s3:DeleteObject"},
		"no checksums":   {check: "checksums", wrong: func(_ *engine, b *bucket) { b.plain = true }, level: doctor.Warn, what: "keeps no SHA-256", mend: "keeps checksums"},
		"wrong checksum": {check: "checksums", wrong: func(_ *engine, b *bucket) { b.lying = true }, level: doctor.Fail, what: "another SHA-256", mend: "do not use"},
		"unreadable":     {check: "checksums", wrong: func(_ *engine, b *bucket) { b.headErr = down }, level: doctor.Fail, what: "it is down", mend: "s3:GetObject"},
		"unwritable":     {check: "checksums", wrong: func(_ *engine, b *bucket) { b.createErr = down }, level: doctor.Fail, what: "it is down", mend: "s3:PutObject"},
		"no lifecycle": {check: "lifecycle", wrong: func(_ *engine, b *bucket) { b.lifecycleErr = objectstore.ErrNoLifecycle }, level: doctor.OK,
			what: "knows no lifecycle rules; the janitor deletes every night"},
		"lifecycle not told": {check: "lifecycle", wrong: func(_ *engine, b *bucket) { b.lifecycleErr = down }, level: doctor.Warn,
			what: "cannot be seen", mend: "s3:GetLifecycleConfiguration"},

		"engine ahead": {check: "clocks", wrong: func(e *engine, _ *bucket) { e.ahead = 10 * time.Second }, level: doctor.Warn,
			what: "Temporal's clock is 10s ahead of this machine's", mend: "NTP"},
		"bucket far behind": {check: "clocks", wrong: func(_ *engine, b *bucket) { b.ahead = -16 * time.Minute }, level: doctor.Fail,
			what: "the bucket's clock is 16m0s behind this machine's", mend: "S3 refuses"},
		"no date":         {check: "clocks", wrong: func(_ *engine, b *bucket) { b.dateless = true }, level: doctor.Warn, what: "carry no date", mend: "NTP"},
		"no engine clock": {check: "clocks", wrong: func(e *engine, _ *bucket) { e.err = down }, level: doctor.Warn, what: "cannot be seen: start a workflow", mend: "NTP"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, b := healthy(), goodBucket()
			if c.wrong != nil {
				c.wrong(e, b)
			}
			if c.config == "" {
				c.config = healthyConfig
			}
			found := examined(t, patient(t, c.config, e, b), c.check)
			i := slices.IndexFunc(found, func(f doctor.Finding) bool {
				return f.Level == c.level && strings.Contains(f.What, c.what)
			})
			require.GreaterOrEqual(t, i, 0, "%+v", found)
			require.Contains(t, found[i].Mend, c.mend)
			require.Equal(t, c.level, doctor.Worst(found))
			require.Equal(t, c.check, found[i].Check)
			require.ElementsMatch(t, e.started, e.deleted)
			if b.deleteErr == nil {
				require.Empty(t, b.left(t))
			}
		})
	}
}

func TestSecrets(t *testing.T) {
	t.Parallel()
	p := patient(t, healthyConfig, healthy(), goodBucket())
	var read []string
	p.Secret = func(ref string) (string, error) {
		read = append(read, ref)
		if ref == "env:TOKEN" {
			return "", errors.New("secret env:TOKEN: set the environment variable TOKEN")
		}
		return "hush", nil
	}
	found := examined(t, p, "secrets")
	require.Equal(t, []string{"env:KEY", "env:KEY", "env:TOKEN"}, read)
	require.Equal(t, []doctor.Finding{{
		Check: "secrets", Level: doctor.Fail, What: "header Authorization of source books: secret env:TOKEN: set the environment variable TOKEN",
		Mend: "make env:TOKEN readable for this process, and for every worker",
	}}, found)

	read = nil
	p = patient(t, strings.Replace(healthyConfig, "secret_headers: {", "secret_query: {apiKey: \"env:QUERY\"}, secret_headers: {", 1), healthy(), goodBucket())
	p.Secret = func(ref string) (string, error) {
		read = append(read, ref)
		return "hush", nil
	}
	require.Equal(t, "all 4 can be read", examined(t, p, "secrets")[0].What)
	require.Contains(t, read, "env:QUERY")

	found = examined(t, patient(t, "s3: {bucket: weir}\n", healthy(), goodBucket()), "secrets")
	require.Equal(t, "none is referred to", found[0].What)
}

// TestNothingAnswers: one finding says so, the others that they could not look.
func TestNothingAnswers(t *testing.T) {
	t.Parallel()
	p := patient(t, healthyConfig, nil, nil)
	dials := 0
	p.Dial = func(context.Context) (*doctor.Engine, error) {
		dials++
		return nil, errors.New("Temporal does not answer")
	}
	p.Open = func(context.Context) (doctor.Bucket, func() (time.Duration, bool), error) {
		return nil, nil, errors.New("no credentials")
	}
	levels := map[string]doctor.Level{}
	for _, f := range examined(t, p) {
		levels[f.Check] = f.Level
	}
	require.Equal(t, map[string]doctor.Level{
		"config": doctor.OK, "secrets": doctor.OK, "user-agent": doctor.OK, "temporal": doctor.Fail, "namespace": doctor.Skipped,
		"search-attributes": doctor.Skipped, "partitions": doctor.Skipped, "fairness": doctor.Skipped, "workers": doctor.Skipped,
		"owner": doctor.Skipped, "bucket": doctor.Fail, "conditional-writes": doctor.Skipped, "checksums": doctor.Skipped,
		"lifecycle": doctor.Skipped, "clocks": doctor.Skipped,
	}, levels)
	require.Equal(t, 1, dials, "it is asked once")
}

// TestHangingTemporal keeps nobody: neither the checks of the bucket, nor the end.
func TestHangingTemporal(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := patient(t, healthyConfig, nil, goodBucket())
		p.Dial = func(ctx context.Context) (*doctor.Engine, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		began := time.Now()
		found := examined(t, p, "temporal", "conditional-writes")
		require.LessOrEqual(t, time.Since(began), 10*time.Second)
		require.Equal(t, doctor.Fail, found[0].Level)
		require.Equal(t, doctor.OK, found[1].Level)
	})
}

func TestChecksThatDoNotEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan struct{})
		checks := []doctor.Check{
			{Name: "deaf", Run: func(context.Context) []doctor.Finding {
				<-ended
				return nil
			}},
			{Name: "late", Run: func(ctx context.Context) []doctor.Finding {
				<-ctx.Done()
				return []doctor.Finding{{Level: doctor.Warn, What: "it took too long"}}
			}},
		}
		began := time.Now()
		found := doctor.Run(t.Context(), checks, 5*time.Second)
		require.LessOrEqual(t, time.Since(began), 6*time.Second)
		require.Equal(t, []doctor.Finding{
			{Check: "deaf", Level: doctor.Fail, What: "no result within 5s", Mend: "look at what is slow, and run weir doctor --only deaf"},
			{Check: "late", Level: doctor.Warn, What: "it took too long"},
		}, found)
		close(ended)
	})
}

func TestOnly(t *testing.T) {
	t.Parallel()
	checks := doctor.Checks(t.Context(), doctor.Patient{})
	some, err := doctor.Only(checks, []string{"bucket", "config"})
	require.NoError(t, err)
	require.Equal(t, []string{"config", "bucket"}, doctor.Names(some))
	_, err = doctor.Only(checks, []string{"buckets"})
	require.ErrorContains(t, err, `there is no check "buckets": use config, secrets,`)
	require.Equal(t, doctor.OK, doctor.Worst(nil))
}
