package config

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/extract"
)

const exampleFile = "../weir.example.yaml"

func readExample(t *testing.T) string {
	t.Helper()
	content, err := os.ReadFile(exampleFile)
	require.NoError(t, err)
	return string(content)
}

// compileRules is the check that the program uses.
func compileRules(parse collection.Parse, schema []byte) error {
	_, err := extract.Compile(parse, schema)
	return err
}

// whole is the example with its commented keys: a # with no space behind it.
func whole(text string) string {
	return regexp.MustCompile(`(?m)^(\s*)#(\w)`).ReplaceAllString(text, "$1$2")
}

func TestExampleLoads(t *testing.T) {
	t.Parallel()
	cfg, err := Load(Options{File: exampleFile, CPUs: 4, CheckParse: compileRules})
	require.NoError(t, err)
	require.Equal(t, Temporal{}, cfg.Temporal, "the example leaves Temporal to its own environment")
	source, ok := cfg.SourceForHost("shop.bookshop.example")
	require.True(t, ok)
	require.Equal(t, "bookshop", source.Name)
	require.Equal(t, "reviews", source.Parse.Fields[6].Name)
	require.Len(t, source.Parse.Fields[6].Fields, 2)
}

func TestExampleLoadsWithEveryKey(t *testing.T) {
	t.Parallel()
	cfg, err := Load(Options{File: "weir.yaml", CPUs: 4, CheckParse: compileRules, ReadFile: files(map[string]string{
		"weir.yaml": whole(readExample(t)), "schemas/book.json": "{}",
	})})
	require.NoError(t, err)
	require.True(t, cfg.Temporal.WantsTLS())
	require.Equal(t, "file:/run/secrets/weir-bucket", cfg.S3.SecretKey.String())
	require.Equal(t, "{}", string(cfg.Schema("bookshop")))
	require.Equal(t, collection.Hours{Zone: "Europe/London", Windows: []string{"22:00-06:00", "Sat,Sun 00:00-24:00"}}, cfg.Sources[0].Hours)
}

// TestExampleStatesDefaults: a key whose value the example gives as the default has that value.
func TestExampleStatesDefaults(t *testing.T) {
	t.Parallel()
	cfg, err := Load(Options{File: exampleFile, CPUs: 4})
	require.NoError(t, err)
	bare, err := loadText(minimal)
	require.NoError(t, err)
	require.Equal(t, bare.Worker, cfg.Worker)
	require.Equal(t, bare.S3, cfg.S3)
	require.Equal(t, bare.Fleet, cfg.Fleet)
	require.Equal(t, bare.Retention, cfg.Retention)

	example, plain := cfg.Sources[0], bare.Sources[0]
	require.Equal(t, 4, example.Ceiling)
	example.Ceiling, example.Name, example.Hosts, example.Parse = plain.Ceiling, plain.Name, plain.Hosts, collection.Parse{}
	example.Request.Headers, plain.Parse = nil, collection.Parse{}
	require.Equal(t, plain, example)
}

// TestExampleHoldsEveryKey: every key that exists stands in the example, live or commented out.
func TestExampleHoldsEveryKey(t *testing.T) {
	t.Parallel()
	var document yaml.Node
	require.NoError(t, yaml.Unmarshal([]byte(whole(readExample(t))), &document))
	present := map[string]bool{}
	collectPaths("", document.Content[0], present)
	for _, k := range knownKeys() {
		// What can stand in the request and the rules of a method is explained once, at the source.
		explained := regexp.MustCompile(`^(sources\[\])\.methods\[\](\.(?:request|parse)\..*)$`).ReplaceAllString(k.path, "$1$2")
		require.True(t, present[explained], "%s does not mention %s", exampleFile, k.path)
	}
}

// TestExampleCommentsOnTopSections: each section of the example says what it is for.
func TestExampleCommentsOnTopSections(t *testing.T) {
	t.Parallel()
	lines := strings.Split(readExample(t), "\n")
	for i, line := range lines {
		if regexp.MustCompile(`^[a-z]\w*:`).MatchString(line) {
			require.True(t, strings.HasPrefix(lines[i-1], "# "), "line %d, %s, has no comment above it", i+1, line)
		}
	}
}

func collectPaths(path string, n *yaml.Node, present map[string]bool) {
	present[path] = true
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			collectPaths(join(path, n.Content[i].Value), n.Content[i+1], present)
		}
	case yaml.SequenceNode:
		for _, item := range n.Content {
			collectPaths(path+"[]", item, present)
		}
	}
}
