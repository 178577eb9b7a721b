package text

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// formatArg says which argument of a call is a sentence for a person.
func formatArg(name string) (int, bool) {
	switch name {
	case "Textf", "WithHint", "t", "T", "line", "say":
		return 0, true
	case "Errorf":
		return 1, true
	case "Wrap":
		return 2, true
	}
	return 0, false
}

// TestEverySentenceHasChinese walks the code and looks every sentence up: what a person can read must exist in both
// languages, with the same verbs.
func TestEverySentenceHasChinese(t *testing.T) {
	t.Parallel()
	missing := map[string]string{}
	for format, where := range sentences(t) {
		zh, ok := lookup(format)
		switch {
		case !ok:
			missing[format] = where
		case !sameVerbs(format, zh):
			t.Errorf("%s: the verbs of %q and %q differ", where, format, zh)
		}
	}
	var list []string
	for f, where := range missing {
		list = append(list, where+": "+strconv.Quote(f))
	}
	sort.Strings(list)
	if len(list) > 0 {
		t.Errorf("%d sentences have no Chinese:\n%s", len(list), strings.Join(list, "\n"))
	}
}

// TestNoSentenceTwice keeps one place for each translation.
func TestNoSentenceTwice(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, table := range tables() {
		for en, zh := range table {
			if was, ok := seen[en]; ok && was != zh {
				t.Errorf("%q is translated twice: %q and %q", en, was, zh)
			}
			seen[en] = zh
		}
	}
}

func sentences(t *testing.T) map[string]string {
	t.Helper()
	root := filepath.Join("..", "..", "..")
	out := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && path != root || d.Name() == "testdata" || d.Name() == "novelbench") {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			arg, ok := formatArg(callName(call.Fun))
			if !ok || arg >= len(call.Args) {
				return true
			}
			if s, ok := constant(call.Args[arg]); ok && english(s) {
				pos := fset.Position(call.Pos())
				out[s] = filepath.ToSlash(strings.TrimPrefix(path, root+string(filepath.Separator))) + ":" + strconv.Itoa(pos.Line)
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(out) < 100 {
		t.Fatalf("only %d sentences found: the walk is broken", len(out))
	}
	return out
}

func callName(e ast.Expr) string {
	switch f := e.(type) {
	case *ast.SelectorExpr:
		if x, ok := f.X.(*ast.Ident); ok && x.Name == "fmt" {
			return ""
		}
		return f.Sel.Name
	case *ast.Ident:
		return f.Name
	}
	return ""
}

// constant folds a string literal, or literals joined by +.
func constant(e ast.Expr) (string, bool) {
	switch v := e.(type) {
	case *ast.BasicLit:
		if v.Kind != token.STRING {
			return "", false
		}
		s, err := strconv.Unquote(v.Value)
		return s, err == nil
	case *ast.BinaryExpr:
		a, ok1 := constant(v.X)
		b, ok2 := constant(v.Y)
		return a + b, ok1 && ok2
	}
	return "", false
}

// english reports a sentence that needs a translation: one with Latin letters outside its verbs and without Han, which
// would be a text that a seed fixes.
func english(s string) bool {
	plain := verbs.ReplaceAllString(s, "")
	return strings.ContainsFunc(plain, func(r rune) bool { return r < 128 && unicode.IsLetter(r) }) &&
		!strings.ContainsFunc(plain, func(r rune) bool { return unicode.Is(unicode.Han, r) })
}

var verbs = regexp.MustCompile(`%(\[\d+\])?[-+# 0]*(\d+|\*)?(\.\d+)?[a-zA-Z%]`)

// sameVerbs compares the verbs by the argument that each one shows.
func sameVerbs(a, b string) bool {
	x, y := byArgument(a), byArgument(b)
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		if x[i] != y[i] {
			return false
		}
	}
	return true
}

func byArgument(s string) map[int]byte {
	out := map[int]byte{}
	next := 1
	for _, v := range verbs.FindAllString(s, -1) {
		if strings.HasSuffix(v, "%") {
			continue
		}
		if i := strings.IndexByte(v, '['); i >= 0 {
			next, _ = strconv.Atoi(v[i+1 : strings.IndexByte(v, ']')])
		}
		out[next] = v[len(v)-1]
		next++
	}
	return out
}
