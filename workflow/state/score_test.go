package state

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// TestNoGateReadsAScore: scores serve sorting and trends (DESIGN 7). Neither the rules, nor the verbs that ask them before a
// chapter moves, nor the hooks, name a score anywhere.
func TestNoGateReadsAScore(t *testing.T) {
	t.Parallel()
	var files []string
	for _, pattern := range []string{
		"*.go", "../../hooks/*.go", "../review.go", "../recheck.go", "../override.go", "../commit.go", "../retcon.go", "../record.go",
		"../save.go", "../state*.go", "../verify.go", "../judge*.go", "../batch/*.go", "../write*.go",
	} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	looked := 0
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		looked++
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && strings.Contains(strings.ToLower(id.Name), "score") {
				t.Errorf("%s: %s", fset.Position(id.Pos()), id.Name)
			}
			return true
		})
	}
	if looked < 30 {
		t.Fatalf("only %d files looked at", looked)
	}
}
