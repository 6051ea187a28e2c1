package deploy_test

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// linked are the modules that the program is linked with here.
func linked(t *testing.T) []string {
	t.Helper()
	read(t, "go.mod") // a cached result does not outlive a change of it
	list := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}{{end}}{{end}}", ".")
	list.Dir = root
	list.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64") // the image's, whoever looks
	out, err := list.Output()
	require.NoError(t, err)
	modules := strings.Fields(string(out))
	slices.Sort(modules)
	return slices.Compact(modules)
}

// A module whose licence nobody has looked at does not enter the program, and one that has left it is not named.
func TestNoticesNameWhatIsLinked(t *testing.T) {
	t.Parallel()
	named := regexp.MustCompile(`(?m)^([a-z0-9.]+\.[a-z]+/[^\s,]+)`).FindAllStringSubmatch(read(t, "THIRD_PARTY_NOTICES"), -1)
	var modules []string
	for _, m := range named {
		modules = append(modules, m[1])
	}
	slices.Sort(modules)
	require.Equal(t, linked(t), slices.Compact(modules), "THIRD_PARTY_NOTICES has each module at the beginning of a line, by its licence")
}

func TestImageHasTheLicences(t *testing.T) {
	t.Parallel()
	text := read(t, "Dockerfile")
	final := text[strings.LastIndex(text, "\nFROM "):]
	require.Regexp(t, `(?m)^COPY LICENSE THIRD_PARTY_NOTICES /\S+/$`, final)
	for _, name := range []string{"LICENSE", "THIRD_PARTY_NOTICES"} {
		require.NotContains(t, strings.Fields(read(t, ".dockerignore")), name)
		require.NotEmpty(t, read(t, name))
	}
}
