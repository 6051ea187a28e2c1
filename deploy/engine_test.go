package deploy_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/weir-collect/weir/collection"
)

// dynamicConfig reads the file that the server mounts: each key with its only value.
func dynamicConfig(t *testing.T) map[string]any {
	t.Helper()
	temporal := compose(t).Services["temporal"]
	file := temporal.mounts()[temporal.Environment["DYNAMIC_CONFIG_FILE_PATH"]]
	require.NotEmpty(t, file, "the server does not mount the file that it is told to read")
	var entries map[string][]struct {
		Value       any            `yaml:"value"`
		Constraints map[string]any `yaml:"constraints"`
	}
	require.NoError(t, yaml.Unmarshal([]byte(read(t, file)), &entries))
	values := map[string]any{}
	for key, list := range entries {
		require.Len(t, list, 1, key)
		require.Empty(t, list[0].Constraints, key)
		values[key] = list[0].Value
	}
	return values
}

// Ceilings, fairness and order are promises; these are what they rest on in the engine.
func TestTheEngineIsSetUpForFairnessAndCeilings(t *testing.T) {
	t.Parallel()
	values := dynamicConfig(t)
	require.Equal(t, true, values["matching.enableFairness"])
	require.Equal(t, 1, values["matching.numTaskqueueReadPartitions"])
	require.Equal(t, 1, values["matching.numTaskqueueWritePartitions"])
	require.Equal(t, false, values["system.enableActivityEagerExecution"])
}

// Stock limits throttle a burst of 40,000 records on one node (B05).
func TestTheEngineTakesABurst(t *testing.T) {
	t.Parallel()
	stock := map[string]int{
		"matching.rps": 1200, "frontend.rps": 2400, "frontend.namespaceRPS": 2400, "history.rps": 3000,
		"frontend.persistenceMaxQPS": 2000, "matching.persistenceMaxQPS": 3000, "history.persistenceMaxQPS": 9000,
		"worker.persistenceMaxQPS": 500, "frontend.namespaceRPS.visibility": 10, "frontend.namespaceCount": 1200,
		"admin.matchingNamespaceTaskqueueToPartitionDispatchRate": 1000, "worker.batcherRPS": 50,
	}
	values := dynamicConfig(t)
	for key, limit := range stock {
		require.Greater(t, values[key], limit, key)
	}
}

// script runs one of the shell scripts with tools of ours in place of the real ones; calls are what the tools were asked.
func script(t *testing.T, file string, env []string, tools map[string]string) (calls string, err error) {
	t.Helper()
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("needs a POSIX shell")
	}
	bin := t.TempDir()
	record := filepath.Join(bin, "calls")
	for name, body := range tools {
		content := "#!/bin/sh\necho \"" + name + " $*\" >>" + record + "\n" + body + "\n"
		require.NoError(t, os.WriteFile(filepath.Join(bin, name), []byte(content), 0o755))
	}
	path, err := filepath.Abs(filepath.Join(root, file))
	require.NoError(t, err)
	cmd := exec.Command(shell, path)
	cmd.Env = append(env, "PATH="+bin+":"+os.Getenv("PATH"))
	out, runErr := cmd.CombinedOutput()
	t.Logf("%s", out)
	said, err := os.ReadFile(record)
	if err != nil && !os.IsNotExist(err) {
		require.NoError(t, err)
	}
	return string(said), runErr
}

const namespaceScript = "deploy/temporal/namespace.sh"

func namespaceEnv(t *testing.T) []string {
	env := []string{}
	for name, value := range compose(t).Services["temporal-namespace"].Environment {
		env = append(env, name+"="+withDefaults(value))
	}
	return env
}

func TestNamespaceIsCreatedWithItsSearchAttributes(t *testing.T) {
	t.Parallel()
	calls, err := script(t, namespaceScript, namespaceEnv(t), map[string]string{
		"temporal": `[ "$3" != describe ]`, // there is no such namespace
	})
	require.NoError(t, err)
	require.Contains(t, calls, "namespace create --namespace default --retention 168h\n")
	require.NotContains(t, calls, "namespace update")
	for _, attribute := range []string{collection.AttributeCustomer, collection.AttributeSource, collection.AttributeReason} {
		require.Contains(t, calls, "--name "+attribute+" --type Keyword")
	}
}

func TestNamespaceThatExistsKeepsItsRetentionCurrent(t *testing.T) {
	t.Parallel()
	calls, err := script(t, namespaceScript, namespaceEnv(t), map[string]string{"temporal": "true"})
	require.NoError(t, err)
	require.Contains(t, calls, "namespace update --namespace default --retention 168h\n")
	require.NotContains(t, calls, "namespace create")
}

func TestNamespaceJobGivesUp(t *testing.T) {
	t.Parallel()
	calls, err := script(t, namespaceScript, namespaceEnv(t), map[string]string{"temporal": "false", "sleep": "true"})
	require.Error(t, err, "the workers must not start")
	require.Equal(t, 30, strings.Count(calls, "cluster health"))
}

func TestSchemaIsSetUpForBothDatabases(t *testing.T) {
	t.Parallel()
	env := []string{"SQL_HOST=postgres", "SQL_USER=temporal", "SQL_PASSWORD=hush"}
	calls, err := script(t, "deploy/temporal/schema.sh", env, map[string]string{"temporal-sql-tool": "true"})
	require.NoError(t, err)
	require.Equal(t, 6, strings.Count(calls, "\n"))
	require.NotContains(t, calls, "hush", "a command line is readable to everyone")
	for _, database := range []string{"temporal", "temporal_visibility"} {
		require.Contains(t, calls, "--user temporal --database "+database+" create-database\n")
	}
	require.Contains(t, calls, "update-schema --schema-dir /etc/temporal/schema/postgresql/v12/visibility/versioned\n")

	calls, err = script(t, "deploy/temporal/schema.sh", env, map[string]string{"temporal-sql-tool": "false"})
	require.Error(t, err)
	require.Equal(t, 1, strings.Count(calls, "\n"), "nothing is done on top of a step that failed")

	_, err = script(t, "deploy/temporal/schema.sh", nil, map[string]string{"temporal-sql-tool": "true"})
	require.Error(t, err, "without a database")
}
