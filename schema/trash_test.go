package schema

import (
	"testing"
)

func TestIsBookScopedName(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		want bool
	}{
		{"雨夜灯.json", true},
		{"雨夜灯-0123456789abcdef.json", true},
		{"雨夜灯-ABCDEF12.json", true},
		{"雨夜灯__style_2.json", true},
		{"雨夜灯.md", true},
		{"雨夜灯-外传.json", false},
		{"雨夜灯-外传-0123456789abcdef.json", false},
		{"雨夜灯外传.json", false},
		{"雨夜灯__外传.json", false},
		{"雨夜灯-2.json", false},
		{"雨夜灯.v2.json", false},
		{"雨夜灯-", false},
		{"雨夜灯", false},
		{"雨夜灯.", false},
		{"雨夜.json", false},
		{"03章.json", false},
	} {
		if got := IsBookScopedName(c.name, "雨夜灯"); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	if IsBookScopedName("x.json", "") {
		t.Error("no book has a file")
	}
	books := []BookName{"雨夜灯", "雨夜灯-abcdef"}
	if b, ok := ScopedBook("雨夜灯-abcdef.json", books); !ok || b != "雨夜灯-abcdef" {
		t.Errorf("the longer name has it: %q", b)
	}
	for _, dir := range FlatDataFolders() {
		if dir == "drafts" {
			t.Error("D206: drafts have a folder for each book")
		}
	}
}

func TestRenameBookIn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ in, want string }{
		{
			"{\n  \"book\": \"雨夜灯\", \"chapter\": \"0001\",\n  \"text\": {\"path\": \"novels/雨夜灯/第01章.md\", \"chars\": 3},\n" +
				"  \"list\": [{\"book\" : \"雨夜灯\"}, \"雨夜灯\", \"book\", 1.50],\n  \"summary\": \"novels/雨夜灯的事\", \"other\": {\"book\": \"别的\"}}\n",
			"{\n  \"book\": \"雪\\\"夜\", \"chapter\": \"0001\",\n  \"text\": {\"path\": \"novels/雪\\\"夜/第01章.md\", \"chars\": 3},\n" +
				"  \"list\": [{\"book\" : \"雪\\\"夜\"}, \"雨夜灯\", \"book\", 1.50],\n  \"summary\": \"novels/雨夜灯的事\", \"other\": {\"book\": \"别的\"}}\n",
		},
		{`{"雨夜灯": "book", "book": 3, "a": "\u96e8夜灯", "book": "\u96e8夜灯"}`, `{"雨夜灯": "book", "book": 3, "a": "\u96e8夜灯", "book": "雪\"夜"}`},
		{`{"book": "雨夜灯"`, `{"book": "雨夜灯"`},
		{"\ufeff{\"book\": \"雨夜灯\"}", "\ufeff{\"book\": \"雪\\\"夜\"}"},
		{`"雨夜灯"`, `"雨夜灯"`},
		{``, ``},
	} {
		got, err := RenameBookIn([]byte(c.in), "雨夜灯", `雪"夜`)
		if err != nil || string(got) != c.want {
			t.Errorf("%s\ngave %s\nwant %s (%v)", c.in, got, c.want, err)
		}
	}
}

func TestRenameBookPath(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"novels/雨夜灯/第01章.md":                           "novels/雪/第01章.md",
		"novels/雨夜灯":                                   "novels/雪",
		"novels/雨夜灯-外传/第01章.md":                        "",
		"novels/创作资料/雨夜灯/大纲.md":                        "novels/创作资料/雪/大纲.md",
		".novel-writer/books/雨夜灯/state.json":           ".novel-writer/books/雪/state.json",
		".novel-writer/drafts/雨夜灯/第01章__draft.md":      ".novel-writer/drafts/雪/第01章__draft.md",
		".novel-writer/summaries/雨夜灯.json":             ".novel-writer/summaries/雪.json",
		".novel-writer/audits/雨夜灯-0123456789abcd.json": ".novel-writer/audits/雪-0123456789abcd.json",
		".novel-writer/summaries/雨夜灯-外传.json":          "",
		"README.md": "",
	} {
		got, ok := RenameBookPath(in, "雨夜灯", "雪")
		if got != want || ok != (want != "") {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
	}
}
