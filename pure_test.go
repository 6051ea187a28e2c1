package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// pure are packages to which time, randomness and concurrency come in as arguments.
var pure = []string{
	"collection", "internal/chart", "internal/egress", "internal/extract", "internal/failure", "internal/layout", "internal/lease",
	"internal/percentile", "internal/probe", "internal/promise", "internal/quality", "internal/retention", "internal/robots",
	"internal/sizing", "internal/urlkey", "internal/verdict",
}

// impure are the calls by which a package would look at the world itself.
var impure = map[string][]string{
	"time": {"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker"},
	"os":   {"Getenv", "LookupEnv", "Environ", "ReadFile", "Open"},
	"rand": {"Int", "IntN", "Int64N", "N", "Float64", "Perm", "Shuffle", "Read", "Text"}, // a generator that is handed in has its own name
}

// TestPurePackages reads what pure packages call, since a dependency on time for its types is fine.
func TestPurePackages(t *testing.T) {
	for _, name := range pure {
		files, err := filepath.Glob(filepath.Join(name, "*.go"))
		require.NoError(t, err)
		require.NotEmpty(t, files, name)
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			fset := token.NewFileSet()
			parsed, err := parser.ParseFile(fset, file, nil, parser.SkipObjectResolution)
			require.NoError(t, err)
			ast.Inspect(parsed, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.GoStmt:
					require.Fail(t, "a goroutine", fset.Position(n.Pos()))
				case *ast.SelectorExpr:
					if of, ok := n.X.(*ast.Ident); ok {
						require.False(t, slices.Contains(impure[of.Name], n.Sel.Name), "%s calls %s.%s", fset.Position(n.Pos()), of.Name, n.Sel.Name)
					}
				}
				return true
			})
		}
	}
}
