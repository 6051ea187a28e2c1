package collection

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNamesAreWhatTheyWere holds every string constant of the package: each is written into histories, objects or
// configurations.
func TestNamesAreWhatTheyWere(t *testing.T) {
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	var lines []string
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		require.NoError(t, err)
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok {
				return true
			}
			for i, value := range spec.Values {
				if literal, ok := value.(*ast.BasicLit); ok && literal.Kind == token.STRING && spec.Names[i].IsExported() {
					lines = append(lines, fmt.Sprintf("%s = %s", spec.Names[i].Name, literal.Value))
				}
			}
			return true
		})
	}
	sort.Strings(lines)
	require.NotEmpty(t, lines)
	golden(t, filepath.Join("testdata", "names.txt"), []byte(strings.Join(lines, "\n")+"\n"))
}

func TestPlacesAreWhatTheyWere(t *testing.T) {
	places := []string{
		QueueCollect("books"),
		BatchWorkflowID("s", "books", 7),
		RecordWorkflowID("s", "0123456789abcdef0123"),
		UploadKey("acme", "s", "books.csv"),
		PlanKey("s"),
		RejectedKey("s", 1),
		BatchKey("s", "books", 7),
		RawKey("s", "r", "abc"),
		RawMetaKey("s", "r", "abc"),
		ParsedKey("s", "r", "abc"),
		LedgerKey("s", "books", 7),
		DeliveredKey("acme", "s", "r"),
		ResultsKey("acme", "s", 1),
		FailuresKey("acme", "s"),
		ManifestKey("acme", "s"),
		ManifestSumKey("acme", "s"),
	}
	golden(t, filepath.Join("testdata", "places.txt"), []byte(strings.Join(places, "\n")+"\n"))
}
