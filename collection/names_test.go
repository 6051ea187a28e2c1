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
	"time"

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
		IndexKey("s"),
		RejectedKey("s", 1),
		BatchKey("s", "books", 7),
		RawKey("s", "r", "abc"),
		RawMetaKey("s", "r", "abc"),
		ParsedKey("s", "r", "abc"),
		SeenKey("books", "r"),
		LedgerKey("s", "books", 7),
		EndKey("s"),
		DeliveredKey("acme", "s", "r"),
		ResultsKey("acme", "s", 1),
		PartKey("acme", "s", Layout{Format: FormatParquet}, time.Unix(0, 0), 1),
		StagedKey("s", 1),
		ShipmentKey("s"),
		RedeliverWorkflowID("s"),
		ReplayWorkflowID("s"),
		ReplayBatchID("s", 2, "books", 7),
		ReplayPlanKey("s", 2),
		ReplayBatchKey("s", 2, "books", 7),
		GenerationKey(LedgerKey("s", "books", 7), 1),
		GenerationKey(ResultsKey("acme", "s.t", 1), 2),
		FailuresKey("acme", "s"),
		ManifestKey("acme", "s"),
		ManifestSumKey("acme", "s"),
		QualityReportKey("s", "0123456789abcdef0123"),
		QualityHistoryKey("books"),
	}
	golden(t, filepath.Join("testdata", "places.txt"), []byte(strings.Join(places, "\n")+"\n"))
}
