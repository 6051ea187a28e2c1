package failure

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
)

// declaredReasons reads the constants of type Reason out of collection's source, in order.
func declaredReasons(t *testing.T) []collection.Reason {
	t.Helper()
	files, err := filepath.Glob("../../collection/*.go")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	var out []collection.Reason
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		require.NoError(t, err)
		for _, decl := range file.Decls {
			if gen, ok := decl.(*ast.GenDecl); ok && gen.Tok == token.CONST {
				out = append(out, reasonsIn(t, gen)...)
			}
		}
	}
	return out
}

func reasonsIn(t *testing.T, gen *ast.GenDecl) []collection.Reason {
	t.Helper()
	var out []collection.Reason
	for _, spec := range gen.Specs {
		value := spec.(*ast.ValueSpec)
		if kind, ok := value.Type.(*ast.Ident); !ok || kind.Name != "Reason" {
			continue
		}
		for _, expr := range value.Values {
			text, err := strconv.Unquote(expr.(*ast.BasicLit).Value)
			require.NoError(t, err)
			out = append(out, collection.Reason(text))
		}
	}
	return out
}

func TestEveryReasonHasExactlyOneRow(t *testing.T) {
	declared := declaredReasons(t)
	require.Greater(t, len(declared), 30, "the constants were not found")
	var rows []collection.Reason
	for _, row := range Table() {
		rows = append(rows, row.Reason)
	}
	require.Equal(t, declared, rows, "give every reason of collection one row, in the order of the constants")
}

func TestRowsAreConsistent(t *testing.T) {
	for _, row := range Table() {
		t.Run(string(row.Reason), func(t *testing.T) {
			require.Equal(t, row.Retry, row.Wait != WaitNone, "a retry needs a way to wait, and only a retry has one")
			require.True(t, row.Retry || !row.Charged, "only what is tried again can be charged")
			require.True(t, row.Retry || row.Tries == 0)
			require.Contains(t, collection.Outcomes(), row.End)
			require.NotEqual(t, collection.OutcomeDelivered, row.End)
			require.Contains(t, []Fault{FaultTarget, FaultEgress, FaultPolicy, FaultParser, FaultInput, FaultOperator, FaultUs}, row.Fault)
			require.Contains(t, []Severity{SeverityNone, SeveritySEV3, SeveritySEV2, SeveritySEV1}, row.Severity)
			require.True(t, unicode.IsUpper(rune(row.Explain[0])))
			require.True(t, strings.HasSuffix(row.Explain, "."))
			require.NotContains(t, row.Explain, "|", "it would break the rendered table")
			if row.Fault == FaultEgress || row.Fault == FaultUs {
				require.False(t, row.Charged, "a record pays only for what its target did")
			}
			if row.End == collection.OutcomeDeadLettered {
				require.NotEqual(t, SeverityNone, row.Severity, "somebody has to see a dead letter")
			}
		})
	}
}

func TestLookup(t *testing.T) {
	require.Equal(t, collection.ReasonGone, Lookup(collection.ReasonGone).Reason)
	require.Equal(t, collection.ReasonInternal, Lookup("of_a_later_version").Reason)
	require.Zero(t, Lookup(""))
	require.True(t, Known(collection.ReasonExpired))
	require.False(t, Known("of_a_later_version"))
	require.False(t, Known(""))
}

func TestTableIsACopy(t *testing.T) {
	Table()[0].Retry = false
	require.True(t, Table()[0].Retry)
}

func TestNonRetryable(t *testing.T) {
	list := NonRetryable()
	require.Contains(t, list, collection.ReasonParseEmpty, "ten thousand retries will not help (E03)")
	require.Contains(t, list, collection.ReasonGone, "the target does not exist (E04)")
	for _, transient := range []collection.Reason{collection.ReasonThrottled, collection.ReasonReset, collection.ReasonEgressUnavailable, collection.ReasonStoreUnavailable} {
		require.NotContains(t, list, transient)
	}
	for _, row := range Table() {
		require.Equal(t, !row.Retry, slices.Contains(list, row.Reason))
	}
}

func TestSourceFilesStayPure(t *testing.T) {
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		for _, impure := range []string{"time.Now(", "math/rand", "go func", "os.", "net.Dial"} {
			require.NotContains(t, string(text), impure, "%s must take it as an argument", name)
		}
	}
}
