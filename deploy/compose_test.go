// Package deploy_test holds the files of the production-like stack to what weir needs of them: docker-compose.yml, the
// Dockerfile, and the files in this folder. It starts nothing.
package deploy_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// root is the project's root, where docker-compose.yml is and its relative paths begin.
const root = ".."

type composeFile struct {
	Services map[string]service `yaml:"services"`
	Volumes  map[string]any     `yaml:"volumes"`
}

type service struct {
	Image           string                `yaml:"image"`
	Build           *build                `yaml:"build"`
	Entrypoint      []string              `yaml:"entrypoint"`
	Restart         string                `yaml:"restart"`
	Environment     map[string]string     `yaml:"environment"`
	Volumes         []string              `yaml:"volumes"`
	Ports           []string              `yaml:"ports"`
	DependsOn       map[string]dependency `yaml:"depends_on"`
	Healthcheck     *healthcheck          `yaml:"healthcheck"`
	Deploy          deployment            `yaml:"deploy"`
	StopGracePeriod time.Duration         `yaml:"stop_grace_period"`
}

type build struct {
	Context string            `yaml:"context"`
	Args    map[string]string `yaml:"args"`
}

type dependency struct {
	Condition string `yaml:"condition"`
}

type healthcheck struct {
	Test []string `yaml:"test"`
}

type deployment struct {
	Replicas string `yaml:"replicas"`
}

func read(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root, name))
	require.NoError(t, err)
	return string(content)
}

// compose is docker-compose.yml as it was written: with its variables.
func compose(t *testing.T) composeFile {
	t.Helper()
	var c composeFile
	require.NoError(t, yaml.Unmarshal([]byte(read(t, "docker-compose.yml")), &c))
	require.NotEmpty(t, c.Services)
	return c
}

var variable = regexp.MustCompile(`\$\{(\w+):-([^}]*)\}`)

// withDefaults puts the default of every variable in its place.
func withDefaults(text string) string { return variable.ReplaceAllString(text, "$2") }

// mounts gives the files of the project that a service mounts: path in the container to path here.
func (s service) mounts() map[string]string {
	files := map[string]string{}
	for _, v := range s.Volumes {
		if from, to, ok := strings.Cut(v, ":"); ok && strings.HasPrefix(from, "./") {
			files[strings.TrimSuffix(to, ":ro")] = strings.TrimPrefix(from, "./")
		}
	}
	return files
}

// jobs are the services that others wait for the end of.
func (c composeFile) jobs() []string {
	var names []string
	for _, s := range c.Services {
		for name, d := range s.DependsOn {
			if d.Condition == "service_completed_successfully" && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return names
}

var pinnedImage = regexp.MustCompile(`^[a-z0-9./-]+:v?[0-9]+[0-9a-z.-]*$`)

func TestImagesArePinned(t *testing.T) {
	t.Parallel()
	for name, s := range compose(t).Services {
		if s.Build != nil {
			require.Equal(t, ".", s.Build.Context, name)
			continue
		}
		require.Regexp(t, pinnedImage, withDefaults(s.Image), name)
	}
}

func TestTheEngineIsOfOneVersion(t *testing.T) {
	t.Parallel()
	c := compose(t)
	_, server, _ := strings.Cut(withDefaults(c.Services["temporal"].Image), ":")
	_, schema, _ := strings.Cut(withDefaults(c.Services["temporal-schema"].Image), ":")
	require.Equal(t, server, schema, "the schema's version is the server's")
	require.True(t, strings.HasPrefix(server, "1.32."), server)
}

func TestServicesAreWatchedAndJobsAreWaitedFor(t *testing.T) {
	t.Parallel()
	c := compose(t)
	jobs := c.jobs()
	require.Equal(t, []string{"s3-bucket", "temporal-namespace", "temporal-schema"}, jobs)
	for name, s := range c.Services {
		for other, d := range s.DependsOn {
			require.Contains(t, c.Services, other, name)
			require.NotEqual(t, "service_started", d.Condition, "%s waits for no more than the start of %s", name, other)
		}
		if slices.Contains(jobs, name) {
			require.Empty(t, s.Restart, name)
			require.Nil(t, s.Healthcheck, name)
			continue
		}
		require.Equal(t, "unless-stopped", s.Restart, name)
		require.NotNil(t, s.Healthcheck, name)
		require.NotEmpty(t, s.Healthcheck.Test, name)
	}
}

func TestMountedFilesExist(t *testing.T) {
	t.Parallel()
	c := compose(t)
	mounted := 0
	for name, s := range c.Services {
		for _, file := range s.mounts() {
			info, err := os.Stat(filepath.Join(root, file))
			require.NoError(t, err, name)
			require.True(t, info.Mode().IsRegular(), file)
			mounted++
		}
		for _, v := range s.Volumes {
			from, _, _ := strings.Cut(v, ":")
			if !strings.HasPrefix(from, "./") {
				require.Contains(t, c.Volumes, from, name)
			}
		}
		if len(s.Entrypoint) == 2 {
			require.Contains(t, s.mounts(), s.Entrypoint[1], "%s runs a script that it does not mount", name)
		}
	}
	require.Equal(t, 5, mounted)
}

func TestNothingIsPublishedBeyondThisMachine(t *testing.T) {
	t.Parallel()
	for name, s := range compose(t).Services {
		for _, port := range s.Ports {
			require.True(t, strings.HasPrefix(port, "127.0.0.1:"), "%s publishes %s", name, port)
		}
	}
}

// A secret is a variable, and its default says that it is not one to keep.
func TestSecretsAreVariables(t *testing.T) {
	t.Parallel()
	secret := regexp.MustCompile(`PASSWORD|PWD|SECRET|ACCESS_KEY`)
	found := 0
	for name, s := range compose(t).Services {
		for key, value := range s.Environment {
			if !secret.MatchString(key) {
				continue
			}
			found++
			require.Regexp(t, `^\$\{\w+:-for-development-only\}$`, value, "%s.%s", name, key)
		}
	}
	require.GreaterOrEqual(t, found, 9)
}
