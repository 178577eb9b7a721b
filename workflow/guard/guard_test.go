package guard

import (
	"slices"
	"strings"
	"testing"
)

func paths(ts []Target) []string {
	var out []string
	for _, t := range ts {
		p := t.Path
		if t.Dir != "" && !strings.HasPrefix(p, "/") {
			p = t.Dir + "/" + p
		}
		out = append(out, p)
	}
	return out
}

func TestCommand(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		`cat novels/书/第01章.md`:                           "",
		`echo 'x > y'`:                                   "",
		`ls 2>&1 | wc -l`:                                "",
		`git log -p; git diff; git status`:               "",
		`sed -n 1,3p a.md`:                               "",
		`find . -name '*.md'`:                            "",
		`git stash list`:                                 "",
		`python3 -c "print(open('a.md').read())"`:        "",
		`git-novel chapter save 1 > /dev/null 2>&1`:      "",
		`echo x > a.md`:                                  "a.md",
		`echo x >>a.md`:                                  "a.md",
		`echo x 2> err.txt 1>|"b c.md"`:                  "err.txt b c.md",
		`x=1 cmd &> all.log`:                             "all.log",
		`cd novels/书 && printf x >第01章.md`:               "novels/书/第01章.md",
		`F=a.md; echo x > $F`:                            "a.md",
		`echo x > "$PWD/a.md"`:                           "a.md",
		`cd novels && echo x > ${PWD}/a.md`:              "novels/./a.md",
		`cat <<'E' > a.md` + "\n> not.md\nE\nrm b.md":    "a.md b.md",
		`echo x | tee -a a.md b.md`:                      "a.md b.md",
		`cp new.md novels/书/第01章.md`:                     "novels/书/第01章.md novels/书/第01章.md/new.md",
		`cp -t novels/书 第01章.md`:                         "novels/书/第01章.md",
		`mv a.md b.md`:                                   "a.md b.md b.md/a.md",
		`sed -i.bak 's/a/b/' a.md`:                       "s/a/b/ a.md",
		`sed -Ei s/a/b/ a.md`:                            "s/a/b/ a.md",
		`perl -pi -e 's/a/b/' a.md`:                      "s/a/b/ a.md",
		`dd if=x of=a.md`:                                "a.md",
		`git checkout -- a.md`:                           "a.md",
		`git -C novels checkout HEAD~1 书/a.md`:           "novels/HEAD~1 novels/书/a.md",
		`git restore --source=HEAD~1 a.md`:               "a.md",
		`git reset --hard HEAD~1`:                        ".",
		`git stash`:                                      ".",
		`git commit --no-verify -m x`:                    ".",
		`bash -c "echo x > a.md"`:                        "a.md",
		`sudo env A=1 sh -c 'rm -rf novels'`:             "novels",
		`echo $(rm a.md)`:                                "a.md",
		"echo `rm a.md`":                                 "a.md",
		`find novels -name '*.md' -delete`:               "novels",
		`find novels -exec sed -i s/a/b/ {} +`:           "novels",
		`ls novels | xargs rm`:                           "*",
		`for f in *; do rm "$f"; done`:                   "$f",
		`python3 -c "open('novels/a.md','w').write('')"`: "novels/a.md",
		"python3 - <<E\nopen('novels/a.md', 'a')\nE":     "novels/a.md",
		`timeout 5 tee a.md`:                             "a.md",
		`curl -o a.md https://example.com`:               "a.md",
	} {
		got := paths(Command(line, ""))
		for p := range strings.FieldsSeq(want) {
			if !slices.ContainsFunc(got, func(g string) bool { return g == p || strings.Contains(g, p) }) {
				t.Errorf("%s: %q lacks %q", line, got, p)
			}
		}
		if want == "" && len(got) > 0 {
			t.Errorf("%s: %q, want nothing", line, got)
		}
	}
}

func TestCalls(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`{"tool_name":"Write","tool_input":{"file_path":"/l/a.md","content":"x"}}`:                          "/l/a.md",
		`{"tool_name":"edit","tool_input":{"filePath":"a.md"}}`:                                             "a.md",
		`{"tool_name":"Read","tool_input":{"file_path":"a.md"}}`:                                            "",
		`{"tool_name":"Bash","tool_input":{"command":"rm a.md"}}`:                                           "a.md",
		`{"tool_name":"shell","tool_input":{"command":["bash","-lc","rm a.md"]}}`:                           "a.md",
		`{"tool_name":"apply_patch","tool_input":{"input":"*** Begin Patch\n*** Update File: a.md\n@@\n"}}`: "a.md",
		`{"tool_name":"apply_patch","tool_input":{"patchText":"*** Begin Patch\n*** Delete File: a.md\n"}}`: "a.md",
		`{"tool_name":"mcp__fs__read_file","tool_input":{"path":"a.md"}}`:                                   "",
		`{"tool_name":"mcp__fs__move_file","tool_input":{"source":"a.md","destination":"b.md"}}`:            "b.md a.md",
		`{"tool_name":"mcp__git-novel__novel_review","tool_input":{"path":"a.md"}}`:                         "",
	} {
		c, err := ParseCall([]byte(in))
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(paths(c.Targets()), " "); got != want {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
	}
	for _, bad := range []string{"", "[]", "{}", `{"tool_name":3}`} {
		if _, err := ParseCall([]byte(bad)); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}

func FuzzCommand(f *testing.F) {
	for _, s := range []string{"a > b", `"$(`, "<<E\nx", "`", "${", `\`, "find . -exec find . -exec rm {} ;", "sh -c 'sh -c \"rm x\"'"} {
		f.Add(s)
	}
	f.Fuzz(func(_ *testing.T, s string) { Command(s, "d") })
}
