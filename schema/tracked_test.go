package schema

import (
	"errors"
	"strings"
	"testing"
)

func TestCheckTracked(t *testing.T) {
	t.Parallel()
	const book = BookName("雨夜灯")
	id := "0001"
	tests := []struct {
		path, data string
		line, col  int // of the first fault; -1 sound, 0 a fault without a place
	}{
		{ConfigPath, "rules = 1\n", -1, 0},
		{ConfigPath, "", -1, 0},
		{ConfigPath, "rules = 1\ngenre = \n", 2, 9},
		{ConfigPath, "[review]\npolish_limit = 99\n", 2, 1},
		{LibraryStatePath, "{\"chatThreshold\": 400, \"mine\": 1}\n", -1, 0},
		{LibraryStatePath, "{\n \"chatThreshold\": x}", 2, 19},
		{LibraryStatePath, "{\"chatThreshold\": true}", 0, 0},
		{BookStatePath(book), "{\"book\": \"雨夜灯\", \"progress\": {\"current_chapter\": 0, \"chapter_status\": {}}}", -1, 0},
		{BookStatePath(book), "", 1, 1},
		{BookStatePath(book), "{\"book\": \"雨夜灯\", \"progress\": {\"current_chapter\": 3, \"chapter_status\": {}}}", 0, 0},
		{BookStatePath(book), "{\n  \"book\": \"雨夜灯\",\n  \"progress\": {oops}\n}", 3, 16},
		{CommitPath(book, id), "{}", 0, 0},
		{ReviewPath(book, id), "[]", 1, 1},
		{RecheckPath(book, id), "null", 1, 1},
		{OutlinePath(book, id), "{\"schema\": 1}", 1, 12},
		{SummariesPath(book), "", -1, 0},
		{SummariesPath(book), "{\"summaries\": []}", -1, 0},
		{SummariesPath(book), "{\"summaries\": 1}", 0, 0},
		{SummariesPath(book), "{\n\n x", 3, 2},
		{VolumesPath(book), "{\"volumes\": []}", -1, 0},
		{VolumesPath(book), "{\"volumes\": [}", 1, 14},
		{BatchPath(book), "{", 1, 2},
		{BookDataDir(book) + "/mine.json", "{\"a\": 1}", -1, 0},
		{BookDataDir(book) + "/mine.json", "{\"a\": }", 1, 7},
		{MasterContractPath(book), "{\"a\": }", 1, 7},
		{SettingsDir(book) + "/world.md", "{", -1, 0},
		{AIFlavorPath, "{", -1, 0},
		{MirrorPath(book, "第01章"), "{", -1, 0},
		{LedgerPath(book, "第01章"), "{", -1, 0},
		{ChapterPath(book, "第01章.md"), "{", -1, 0},
		{"README.md", "{", -1, 0},
	}
	for _, tt := range tests {
		err := CheckTracked(tt.path, []byte(tt.data))
		if tt.line < 0 {
			if err != nil {
				t.Errorf("%s %q: %v", tt.path, tt.data, err)
			}
			continue
		}
		if CodeOf(err) != CodeInvalid || err == nil {
			t.Errorf("%s %q: %v", tt.path, tt.data, err)
			continue
		}
		details := DetailsOf(err)
		if len(details) == 0 {
			t.Errorf("%s %q: no faults: %v", tt.path, tt.data, err)
			continue
		}
		f := details[0]
		if f.File != tt.path || tt.line > 0 && (f.Line != tt.line || f.Col != tt.col) {
			t.Errorf("%s %q: %+v", tt.path, tt.data, f)
		}
	}
}

func FuzzCheckTracked(f *testing.F) {
	paths := []string{
		ConfigPath, LibraryStatePath, BookStatePath("b"), CommitPath("b", "0001"), ReviewPath("b", "0001"), RecheckPath("b", "0001"),
		OutlinePath("b", "0001"), SummariesPath("b"), VolumesPath("b"), BatchPath("b"), MasterContractPath("b"),
	}
	for _, seed := range []string{"{}", "[]", "null", "rules = 1", "{\"summaries\": []}", "\xef\xbb\xbf{}", strings.Repeat("[", 2000)} {
		for i := range paths {
			f.Add(i, []byte(seed))
		}
	}
	f.Fuzz(func(t *testing.T, i int, data []byte) {
		path := paths[uint(i)%uint(len(paths))]
		if err := CheckTracked(path, data); err != nil && CodeOf(err) != CodeInvalid {
			t.Errorf("%s: %v", path, err)
		}
	})
}

func TestDetailsAndHint(t *testing.T) {
	t.Parallel()
	inner := Errorf(CodeInvalid, "inner").WithDetails(Fault{Line: 1}).WithHint("inner hint")
	outer := Wrap(Wrap(inner, CodeInvalid, "middle"), CodeInvalid, "outer").WithDetails(Fault{Line: 2})
	list := DetailsOf(outer)
	if len(list) != 2 || list[0].Line != 2 || list[1].Line != 1 {
		t.Errorf("%v", list)
	}
	if got := HintOf(outer).String(); got != "inner hint" {
		t.Errorf("%q", got)
	}
	if got := HintOf(outer.WithHint("own")).String(); got != "own" {
		t.Errorf("%q", got)
	}
	if DetailsOf(errors.New("x")) != nil || DetailsOf(nil) != nil || !HintOf(errors.New("x")).IsZero() || !HintOf(nil).IsZero() {
		t.Error("an error of others has details or a hint")
	}
}

func TestConfigKeysIn(t *testing.T) {
	t.Parallel()
	set := ConfigKeysIn([]byte("rules = 1\nreview.polish_limit = 15\nmine = 1\n[agents.writer]\ncommand = []\n[chapters]\n"))
	for name, want := range map[string]bool{
		"rules": true, "review.polish_limit": true, "agents.writer.command": true, "agents.writer.timeout": false, "chapters.digits": false, "mine": false,
	} {
		if set[name] != want {
			t.Errorf("%s: %v", name, set[name])
		}
	}
	if ConfigKeysIn([]byte("rules =")) != nil {
		t.Error("a file that does not parse sets something")
	}
	role, ok := ConfigKey{Name: "agents.data.retries"}.Role()
	if role != RoleData || !ok {
		t.Errorf("%q %v", role, ok)
	}
	if _, ok := (ConfigKey{Name: "genre"}).Role(); ok {
		t.Error("genre is no agent's")
	}
}
