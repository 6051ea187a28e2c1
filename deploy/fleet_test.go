package deploy_test

import (
	"net"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/config"
)

// fleet is the workers' service and the configuration that they load there.
func fleet(t *testing.T) (service, config.Config) {
	t.Helper()
	worker := compose(t).Services["worker"]
	file := worker.mounts()["/etc/weir/weir.yaml"]
	require.NotEmpty(t, file, "the workers have no configuration")
	cfg, err := config.Load(config.Options{File: filepath.Join(root, file), Env: worker.lookup, CPUs: 2})
	require.NoError(t, err)
	return worker, cfg
}

// lookup finds a variable as the container sees it.
func (s service) lookup(name string) (string, bool) {
	value, ok := s.Environment[name]
	return withDefaults(value), ok
}

func TestWorkersLoadTheirConfiguration(t *testing.T) {
	t.Parallel()
	worker, cfg := fleet(t)
	c := compose(t)
	require.Equal(t, "temporal:7233", cfg.Temporal.Address)
	require.Equal(t, withDefaults(c.Services["temporal-namespace"].Environment["NAMESPACE"]), cfg.Temporal.Namespace)
	require.Equal(t, withDefaults(c.Services["s3-bucket"].Environment["BUCKET"]), cfg.S3.Bucket)
	require.Equal(t, c.Services["s3"].Environment["VGW_REGION"], cfg.S3.Region)
	require.True(t, cfg.S3.PathStyle)
	endpoint, err := url.Parse(cfg.S3.Endpoint)
	require.NoError(t, err)
	require.Contains(t, c.Services, endpoint.Hostname())
	require.Equal(t, c.Services["s3"].Environment["VGW_PORT"], ":"+endpoint.Port())
	require.NotEmpty(t, cfg.Sources)
	require.NotEmpty(t, cfg.Customers)

	key, err := cfg.S3.AccessKey.Resolve(worker.lookup, os.ReadFile)
	require.NoError(t, err)
	require.Equal(t, withDefaults(c.Services["s3"].Environment["ROOT_ACCESS_KEY_ID"]), key)
	secret, err := cfg.S3.SecretKey.Resolve(worker.lookup, os.ReadFile)
	require.NoError(t, err)
	require.Equal(t, withDefaults(c.Services["s3"].Environment["ROOT_SECRET_ACCESS_KEY"]), secret)
}

func TestWorkersAreTwoAndWaitForWhatTheyNeed(t *testing.T) {
	t.Parallel()
	worker := compose(t).Services["worker"]
	require.Equal(t, "2", withDefaults(worker.Deploy.Replicas))
	require.NotNil(t, worker.Build)
	require.Empty(t, worker.Ports, "two workers cannot publish one port")
	require.Len(t, worker.DependsOn, 2)
}

func TestWorkersAreAskedWhereTheyAnswer(t *testing.T) {
	t.Parallel()
	worker, cfg := fleet(t)
	host, port, err := net.SplitHostPort(cfg.Worker.MetricsAddress)
	require.NoError(t, err)
	require.Equal(t, "0.0.0.0", host, "Prometheus asks from outside of the container")
	asked := worker.Healthcheck.Test[len(worker.Healthcheck.Test)-1]
	require.Equal(t, "http://127.0.0.1:"+port+"/healthz", asked)
	require.Equal(t, "json", cfg.Worker.LogFormat)
	require.Greater(t, worker.StopGracePeriod, cfg.Worker.ShutdownGrace)
}

func TestExampleCustomerMayUseEveryLane(t *testing.T) {
	t.Parallel()
	_, cfg := fleet(t)
	for _, lane := range collection.Lanes() {
		require.True(t, cfg.Customers[0].Allows(lane), lane)
	}
}

func TestImageIsStaticAndWithoutRights(t *testing.T) {
	t.Parallel()
	text := read(t, "Dockerfile")
	stages := regexp.MustCompile(`(?m)^FROM (\S+)`).FindAllStringSubmatch(text, -1)
	require.Len(t, stages, 2)
	for _, stage := range stages {
		require.Regexp(t, pinnedImage, stage[1])
	}
	require.Contains(t, text, "CGO_ENABLED=0 go build")
	final := text[strings.LastIndex(text, "\nFROM "):]
	users := regexp.MustCompile(`(?m)^USER (\S+)`).FindAllStringSubmatch(final, -1)
	require.Len(t, users, 1)
	require.NotRegexp(t, `^(root|0)(:|$)`, users[0][1])
	require.Contains(t, final, "WORKDIR /etc/weir\n", "where the workers' configuration is mounted")
	require.Contains(t, final, `ENTRYPOINT ["/usr/local/bin/weir"]`)
}

// The Go version of the image must be able to build the module.
func TestImageHasTheModulesGo(t *testing.T) {
	t.Parallel()
	image := regexp.MustCompile(`FROM golang:(\d+\.\d+)`).FindStringSubmatch(read(t, "Dockerfile"))
	module := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(read(t, "go.mod"))
	require.Len(t, image, 2)
	require.Len(t, module, 2)
	require.Equal(t, module[1], image[1])
}

// The linker ignores a variable that does not exist, and the version would silently be lost.
func TestImageSetsAVersionThatExists(t *testing.T) {
	t.Parallel()
	symbol := regexp.MustCompile(`-X github\.com/weir-collect/weir/(\S+)\.(\w+)=\$\{VERSION\}`).FindStringSubmatch(read(t, "Dockerfile"))
	require.Len(t, symbol, 3)
	files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(symbol[1]), "*.go"))
	require.NoError(t, err)
	declared := false
	for _, file := range files {
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		declared = declared || strings.Contains(string(content), "\nvar "+symbol[2]+" string\n")
	}
	require.True(t, declared, symbol[0])
}

func TestImageLeavesOutWhatItDoesNotNeed(t *testing.T) {
	t.Parallel()
	ignored := strings.Fields(read(t, ".dockerignore"))
	for _, name := range []string{".git", ".env", "integration/devstack"} {
		require.Contains(t, ignored, name)
	}
	for _, needed := range []string{"go.mod", "go.sum", "internal", "collection", "integration"} {
		require.NotContains(t, ignored, path.Clean(needed))
	}
}

func TestBucketIsCreatedOnce(t *testing.T) {
	t.Parallel()
	const file = "deploy/s3/bucket.sh"
	env := []string{"ADMIN_ENDPOINT_URL=http://s3:9000", "ADMIN_ACCESS_KEY_ID=key", "ADMIN_SECRET_ACCESS_KEY=hush", "BUCKET=weir"}
	for name, c := range map[string]struct {
		listed  string
		creates bool
	}{
		"none yet":           {"Bucket    Owner\n-------   -------", true},
		"another one":        {"Bucket    Owner\n-------   -------\nweir-old  key", true},
		"it is there":        {"Bucket    Owner\n-------   -------\nweir      key", false},
		"it is among others": {"Bucket    Owner\na         key\nweir      key\nz         key", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			calls, err := script(t, file, env, map[string]string{
				"versitygw": "if [ \"$2\" = list-buckets ]; then cat <<'LIST'\n" + c.listed + "\nLIST\nfi",
			})
			require.NoError(t, err)
			require.NotContains(t, calls, "hush")
			require.Equal(t, c.creates, strings.Contains(calls, "create-bucket --owner key --bucket weir\n"), calls)
		})
	}
	_, err := script(t, file, env, map[string]string{"versitygw": `[ "$2" != create-bucket ]`})
	require.Error(t, err, "the workers must not start without a bucket")
}
