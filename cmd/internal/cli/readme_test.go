package cli

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"git-novel/cmd/internal/text"
	"git-novel/schema"
)

var update = flag.Bool("update", false, "rewrite the generated parts of README.md")

// testEnv is a process without terminal, environment or input.
func testEnv(lang text.Lang) *Env {
	return &Env{
		Args: []string{"git-novel"}, Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard,
		Getenv: func(string) string { return "" }, Dir: "/", LookPath: func(string) (string, error) { return "", os.ErrNotExist }, lang: lang,
	}
}

// TestReadmeReference keeps README and command tree equal, in both languages: every command, argument and flag, and the
// exit codes.
func TestReadmeReference(t *testing.T) {
	t.Parallel()
	path := filepath.Join("..", "..", "..", "README.md")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	readme := string(data)
	for _, part := range []struct{ name, want string }{
		{"commands", reference(text.English)},
		{"exit-codes", exitCodes(text.English)},
		{"commands-zh", reference(text.Chinese)},
		{"exit-codes-zh", exitCodes(text.Chinese)},
	} {
		begin, end := "<!-- "+part.name+" -->\n", "<!-- /"+part.name+" -->"
		i, j := strings.Index(readme, begin), strings.Index(readme, end)
		if i < 0 || j < i {
			t.Fatalf("README.md has no part %s", part.name)
		}
		if readme[i+len(begin):j] == part.want {
			continue
		}
		if !*update {
			t.Errorf("the part %s of README.md is not what the program has; run go test ./cmd/internal/cli -run Readme -update", part.name)
			continue
		}
		readme = readme[:i+len(begin)] + part.want + readme[j:]
	}
	if *update {
		if err := os.WriteFile(path, []byte(readme), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func reference(lang text.Lang) string {
	e := testEnv(lang)
	var b strings.Builder
	head := map[text.Lang][2]string{text.English: {"command", "what it does"}, text.Chinese: {"命令", "作用"}}[lang]
	fmt.Fprintf(&b, "| %s | %s |\n| --- | --- |\n", head[0], head[1])
	for _, c := range e.commands() {
		if c.Hidden {
			continue
		}
		for _, row := range flatten(c, "") {
			name := strings.TrimSpace(row.name + " " + row.args)
			for _, f := range row.flags {
				if f.Names()[0] != "help" {
					name += " [" + strings.Split(flagForm(f), ", ")[0] + "]"
				}
			}
			fmt.Fprintf(&b, "| `%s` | %s |\n", strings.ReplaceAll(name, "|", "\\|"), row.usage)
		}
	}
	b.WriteString("\n")
	for _, f := range e.globalFlags() {
		fmt.Fprintf(&b, "* `%s` %s\n", flagForm(f), flagUsage(f))
	}
	return b.String()
}

func exitCodes(lang text.Lang) string {
	e := testEnv(lang)
	var b strings.Builder
	head := map[text.Lang][2]string{text.English: {"exit", "meaning"}, text.Chinese: {"退出码", "含义"}}[lang]
	fmt.Fprintf(&b, "| %s | %s |\n| ---: | --- |\n| 0 | %s |\n", head[0], head[1], e.t("done, or nothing to do"))
	for _, c := range schema.Codes() {
		fmt.Fprintf(&b, "| %d | %s |\n", exitOf(c), e.t(codeMeaning(c)))
	}
	return b.String()
}

// TestExitCodesAreTotal: every failure kind has an exit code of its own and a meaning in both languages.
func TestExitCodesAreTotal(t *testing.T) {
	t.Parallel()
	seen := map[int]schema.Code{}
	for _, c := range schema.Codes() {
		code := exitOf(c)
		if was, twice := seen[code]; twice {
			t.Errorf("%s and %s share exit code %d", was, c, code)
		}
		seen[code] = c
		if codeMeaning(c) == "" || text.Chinese.T(codeMeaning(c)) == codeMeaning(c) {
			t.Errorf("%s has no meaning in both languages", c)
		}
	}
}

// TestEveryCommandHelps: every command has a line of help and answers -h, and runs without arguments without a panic.
func TestEveryCommandHelps(t *testing.T) {
	t.Parallel()
	for _, lang := range []text.Lang{text.English, text.Chinese} {
		for _, c := range testEnv(lang).commands() {
			for _, row := range flatten(c, "") {
				if row.usage == "" {
					t.Errorf("%s has no line of help", row.name)
				}
				for _, last := range []string{"-h", ""} {
					e := testEnv(lang)
					e.Dir = t.TempDir()
					e.Args = append([]string{"git-novel", "--lang", string(lang)}, strings.Fields(row.name+" "+last)...)
					var out strings.Builder
					e.Stdout = &out
					code := Run(t.Context(), e)
					if last == "-h" && (code != 0 || !strings.Contains(out.String(), row.usage)) {
						t.Errorf("%s -h: exit %d, %q", row.name, code, out.String())
					}
				}
			}
		}
	}
}
