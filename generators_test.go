package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestGeneratorsAreNotShared finds generators of random values that live as long as their package: rapid reads a generator's name
// outside the lock under which it writes it, so two parallel tests that share one are a data race, seen only now and then.
func TestGeneratorsAreNotShared(t *testing.T) {
	looked := 0
	require.NoError(t, filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		looked++
		require.Empty(t, sharedGenerators(t, path, nil), "make it a function, or a variable of the test")
		return nil
	}))
	require.NotZero(t, looked)
}

func TestFindsSharedGenerators(t *testing.T) {
	found := sharedGenerators(t, "x_test.go", `package x
var a, b = 1, rapid.Int()
func c() any { return rapid.Int() }
var d = func() any { return rapid.Int() }
`)
	require.Equal(t, []string{"x_test.go:2:15"}, found)
}

// sharedGenerators are the places in a file where a variable of the package is made by a call of rapid. source is the file's text;
// nil reads the file.
func sharedGenerators(t *testing.T, file string, source any) []string {
	t.Helper()
	fset := token.NewFileSet()
	parsed, err := parser.ParseFile(fset, file, source, parser.SkipObjectResolution)
	require.NoError(t, err)
	var found []string
	for _, decl := range parsed.Decls {
		if decl, ok := decl.(*ast.GenDecl); ok && decl.Tok == token.VAR {
			ast.Inspect(decl, func(n ast.Node) bool {
				if of, ok := n.(*ast.SelectorExpr); ok {
					if name, ok := of.X.(*ast.Ident); ok && name.Name == "rapid" {
						found = append(found, fset.Position(n.Pos()).String())
					}
				}
				_, isFunction := n.(*ast.FuncLit)
				return !isFunction
			})
		}
	}
	return found
}
