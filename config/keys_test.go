package config

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
)

func TestKnownKeys(t *testing.T) {
	t.Parallel()
	var paths []string
	for _, k := range knownKeys() {
		paths = append(paths, k.path)
	}
	for _, want := range []string{
		"temporal", "temporal.tls.server_name", "s3.secret_key", "fleet.lease_ttl", "user_agent", "sources", "sources[].backoff.max",
		"egresses[].allow_private_address", "sources[].egress.use", "sources[].methods[].request.secret_headers",
		"sources[].methods[].parse.fields[].fields", "sources[].pace", "sources[].hours.windows", "sources[].breaker.max_open",
		"sources[].request.secret_headers", "sources[].request.secret_query", "sources[].customers", "sources[].parse.fields[].json_ld", "sources[].parse.fields[].fields", "customers[].lanes",
	} {
		require.Contains(t, paths, want)
	}
	require.NotContains(t, paths, "sources[].parse.fields[].fields[].name")
	slices.Sort(paths)
	require.Equal(t, paths, slices.Compact(slices.Clone(paths)), "each key is listed once")
}

func TestSettingsAreWhatVariablesSet(t *testing.T) {
	t.Parallel()
	names := map[string]string{}
	for _, s := range settings() {
		name := EnvName(s.path)
		require.Regexp(t, `^WEIR_[A-Z0-9_]+$`, name)
		require.Empty(t, names[name], "two keys have the variable %s", name)
		names[name] = s.path
	}
	require.Equal(t, "s3.bucket", names["WEIR_S3_BUCKET"])
	require.Equal(t, "fleet.lease_ttl", names["WEIR_FLEET_LEASE_TTL"])
	require.Equal(t, "temporal.tls.cert_file", names["WEIR_TEMPORAL_TLS_CERT_FILE"])
	require.NotContains(t, names, "WEIR_SOURCES")
}

// TestEveryFieldHasAKey: a field without a tag could be set by nobody, and one of another type than these could not be read.
func TestEveryFieldHasAKey(t *testing.T) {
	t.Parallel()
	seen := map[reflect.Type]bool{}
	var walk func(reflect.Type)
	walk = func(typ reflect.Type) {
		if seen[typ] || isScalar(typ) {
			return
		}
		seen[typ] = true
		switch typ.Kind() {
		case reflect.Slice:
			walk(typ.Elem())
		case reflect.Map:
			require.True(t, typ == textsType || typ == querySecretsType, typ.String())
		default:
			require.Equal(t, reflect.Struct, typ.Kind(), typ.String())
			for i := range typ.NumField() {
				field := typ.Field(i)
				if field.IsExported() {
					require.NotEmpty(t, field.Tag.Get("mapstructure"), "%s.%s", typ, field.Name)
					walk(field.Type)
				}
			}
		}
	}
	walk(reflect.TypeFor[Config]())
}

// TestOnlySizesAre64Bits holds what parseScalar relies on.
func TestOnlySizesAre64Bits(t *testing.T) {
	t.Parallel()
	for _, k := range knownKeys() {
		if k.typ.Kind() == reflect.Int64 && k.typ != durationType {
			require.Contains(t, []string{"worker.body_memory", "sources[].max_body", "customers[].layout.bytes"}, k.path)
		}
	}
}

func TestNearest(t *testing.T) {
	t.Parallel()
	keys := []string{"name", "hosts", "ceiling", "prefetch", "timeout", "attempts", "give_up_after", "css", "jq"}
	for given, want := range map[string]string{
		"host": "hosts", "Ceiling": "ceiling", "celing": "ceiling", "time_out": "timeout", "give-up-after": "give_up_after",
		"giveUpAfter": "give_up_after", "attempt": "attempts", "xyz": "", "": "", "a": "", "concurrency": "",
	} {
		require.Equal(t, want, nearest(given, keys), given)
	}
	require.Equal(t, 3, distance("kitten", "sitting"))
	require.Equal(t, 4, distance("", "four"))
	require.Equal(t, 4, distance("four", ""))
}

func TestBind(t *testing.T) {
	t.Parallel()
	flags := pflag.NewFlagSet("weir", pflag.ContinueOnError)
	flags.String("metrics", "", "")
	flags.Int("slots", 5, "")
	flags.Duration("grace", 0, "")
	flags.Bool("path-style", false, "")
	flags.String("key", "", "")
	flags.String("unbound", "", "")
	require.NoError(t, Bind(flags, map[string]string{
		"metrics": "worker.metrics_address", "slots": "worker.deliver_slots", "grace": "worker.shutdown_grace",
		"path-style": "s3.path_style", "key": "s3.secret_key",
	}))
	require.NoError(t, flags.Parse(strings.Fields("--metrics= --grace=1m30s --path-style --unbound=x")))
	cfg, err := Load(Options{Flags: flags})
	require.NoError(t, err)
	require.Empty(t, cfg.Worker.MetricsAddress, "a flag may be empty")
	require.Equal(t, 32, cfg.Worker.DeliverSlots, "a flag's own default does not count")
	require.Equal(t, "1m30s", cfg.Worker.ShutdownGrace.String())
	require.True(t, cfg.S3.PathStyle)

	require.NoError(t, flags.Parse([]string{"--slots=0", "--key=" + hunter}))
	_, err = Load(Options{Flags: flags})
	requireProblems(t, err,
		"s3.secret_key (--key): write a reference, not the secret itself: env:NAME for an environment variable, file:PATH for a file",
		"worker.deliver_slots = 0 (--slots): use 1 to 10000")
}

func TestBindRefusesWhatDoesNotExist(t *testing.T) {
	t.Parallel()
	flags := pflag.NewFlagSet("weir", pflag.ContinueOnError)
	flags.String("bucket", "", "")
	require.EqualError(t, Bind(flags, map[string]string{"buckt": "s3.bucket"}),
		"flag --buckt for key s3.bucket is not defined: define it before binding it")
	for _, key := range []string{"s3.buckt", "sources", "s3", "sources[].name"} {
		require.EqualError(t, Bind(flags, map[string]string{"bucket": key}),
			"flag --bucket: there is no key "+key+" that a flag can set")
	}
}
