package mcpserver_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const (
	deleteTool   = "novel_delete_book"
	diagnoseTool = "novel_diagnose"
)

// twoBooks is a library with two books whose names begin alike, with drafts and summaries of both.
func twoBooks(t *testing.T) *library {
	t.Helper()
	l := newLibrary(t)
	for _, book := range []string{"雨夜灯", "雨夜灯-外传"} {
		l.newBook(book)
		l.ok(newChapterTool, obj{"book": book, "content": "正文", "title": "当铺"})
		l.ok(draftTool, seg(book, "2", "草稿的一段"))
		l.ok(summaryTool, add(book, "1", "摘要"))
	}
	return l
}

// files are all files of the library outside of .git.
func (l *library) files() string { return l.tree("novels") + l.tree(".novel-writer") }

// kept are the files of the book that nobody deletes.
func (l *library) kept() string {
	return l.tree("novels/雨夜灯-外传") + l.tree(".novel-writer/drafts/雨夜灯-外传") + l.tree(".novel-writer/books/雨夜灯-外传") +
		l.read(summaryFile("雨夜灯-外传"))
}

func planEntries(a answer) map[string]obj {
	out := map[string]obj{}
	for _, e := range a.data["entries"].([]any) {
		out[e.(obj)["key"].(string)] = e.(obj)
	}
	return out
}

// TestDeleteBook are rows D200–D205, on the trash branches of DESIGN 12.
func TestDeleteBook(t *testing.T) {
	t.Parallel()
	t.Run("D200", func(t *testing.T) {
		l := twoBooks(t)
		before, head := l.files(), l.head()
		for _, args := range []obj{{"book": "雨夜灯"}, {"book": "雨夜灯", "action": "preview"}} {
			a := l.ok(deleteTool, args)
			e := planEntries(a)["data:drafts"]
			size := len(l.read(mirror("雨夜灯", "第02章"))) + len(l.read(ledger("雨夜灯", "第02章")))
			if e["kind"] != "dir" || e["path"] != ".novel-writer/drafts/雨夜灯" || e["size"] != float64(size) || e["files"] != 2. || a.data["applied"] != false {
				t.Errorf("%s", a.raw)
			}
			if !strings.Contains(a.text, "data:drafts（dir）") || !strings.Contains(a.text, "预览") {
				t.Errorf("%s", a.text)
			}
		}
		if l.files() != before || l.head() != head {
			t.Error("a preview wrote something")
		}
	})
	t.Run("D201 D203 D205", func(t *testing.T) {
		l := twoBooks(t)
		l.write(".novel-writer/drafts/雨夜灯/旁注.txt", "没有进 git 的\n")
		kept, draft := l.kept(), l.read(mirror("雨夜灯", "第02章"))
		a := l.ok(deleteTool, obj{"action": "apply", "book": "雨夜灯"})
		branch := a.str("branch")
		if !strings.HasPrefix(branch, "trash/雨夜灯-") || !strings.Contains(a.text, branch) || a.data["applied"] != true {
			t.Errorf("%s", a.raw)
		}
		for _, p := range []string{".novel-writer/drafts/雨夜灯", "novels/雨夜灯", ".novel-writer/books/雨夜灯", summaryFile("雨夜灯")} {
			if l.exists(p) {
				t.Errorf("%s is left over", p)
			}
		}
		if l.kept() != kept {
			t.Error("the other book was touched")
		}
		list := l.ok(deleteTool, obj{"action": "list", "book": "雨夜灯"})
		if rows := list.data["trash"].([]any); len(rows) != 1 || rows[0].(obj)["branch"] != branch || !strings.Contains(list.text, "作品《雨夜灯》") {
			t.Errorf("%s", list.raw)
		}
		l.ok(deleteTool, obj{"action": "restore", "trashId": branch})
		if l.read(mirror("雨夜灯", "第02章")) != draft || l.read(".novel-writer/drafts/雨夜灯/旁注.txt") != "没有进 git 的\n" || l.kept() != kept {
			t.Error("not every byte is back")
		}
		if got := l.ok(draftTool, seg("雨夜灯", "2", "再来一段")).num("segmentIndex"); got != 2 {
			t.Errorf("the next segment is %d", got)
		}
	})
	t.Run("D202", func(t *testing.T) {
		l := twoBooks(t)
		var keys []string
		for k := range planEntries(l.ok(deleteTool, obj{"book": "雨夜灯"})) {
			if k != "data:drafts" {
				keys = append(keys, k)
			}
		}
		draft := l.read(mirror("雨夜灯", "第02章"))
		l.ok(deleteTool, obj{"action": "apply", "book": "雨夜灯", "keys": keys})
		if l.exists("novels/雨夜灯/第01章 当铺.md") || l.read(mirror("雨夜灯", "第02章")) != draft {
			t.Error("the wrong parts went")
		}
	})
	t.Run("D204", func(t *testing.T) {
		l := twoBooks(t)
		branch := l.ok(deleteTool, obj{"action": "apply", "book": "雨夜灯"}).str("branch")
		l.ok(draftTool, seg("雨夜灯", "2", "新开的草稿"))
		before := l.tree("novels") + l.tree(".novel-writer/drafts")
		if a := l.call(deleteTool, obj{"action": "restore", "trashId": branch}); !a.isErr || !strings.Contains(a.text, ".novel-writer/drafts/雨夜灯") {
			t.Errorf("%s", a.text)
		}
		if l.tree("novels")+l.tree(".novel-writer/drafts") != before {
			t.Error("something was overwritten")
		}
		if got := l.ok(deleteTool, obj{"action": "restore", "trashId": branch, "as": "旧灯"}).str("book"); got != "旧灯" {
			t.Errorf("it came back as %s", got)
		}
	})
	t.Run("purge asks for the name again", func(t *testing.T) {
		l := twoBooks(t)
		branch := l.ok(deleteTool, obj{"action": "apply", "book": "雨夜灯"}).str("branch")
		for _, confirm := range []any{nil, "", "yes", true, "雨夜灯"} {
			if a := l.call(deleteTool, obj{"action": "purge", "trashId": branch, "confirm": confirm}); !a.isErr {
				t.Errorf("confirm %v: %s", confirm, a.text)
			}
		}
		l.ok(deleteTool, obj{"action": "purge", "trashId": branch, "confirm": branch})
		if a := l.ok(deleteTool, obj{"action": "list"}); len(a.data["trash"].([]any)) != 0 {
			t.Errorf("%s", a.raw)
		}
		if a := l.call(deleteTool, obj{"action": "restore", "trashId": branch}); !a.isErr {
			t.Errorf("%s", a.text)
		}
	})
	t.Run("a bad call deletes nothing", func(t *testing.T) {
		l := twoBooks(t)
		before, head := l.files(), l.head()
		for _, args := range []obj{
			{"action": "apply"},
			{"action": "apply", "book": "雨夜灯", "keys": []string{}},
			{"action": "apply", "book": "雨夜灯", "keys": "data:drafts"},
			{"action": "apply", "book": "雨夜灯", "keys": []string{"data:nothing"}},
			{"action": "apply", "book": "雨夜灯", "keys": []string{"data:books"}},
			{"action": "apply", "book": "雨夜"},
			{"action": "apply", "book": "../雨夜灯"},
			{"action": "Apply", "book": "雨夜灯"},
			{"action": "restore"},
			{"action": "purge"},
			{"action": "restore", "trashId": "main"},
			{"action": "purge", "trashId": "main", "confirm": "main"},
		} {
			if a := l.call(deleteTool, args); !a.isErr {
				t.Errorf("%v: %s", args, a.text)
			}
		}
		if l.files() != before || l.head() != head {
			t.Error("something was done")
		}
	})
}

// TestDiagnose is row D207, and what else the report says.
func TestDiagnose(t *testing.T) {
	t.Parallel()
	l := twoBooks(t)
	before := l.files()
	a := l.ok(diagnoseTool, nil)
	size := 0
	for _, book := range []string{"雨夜灯", "雨夜灯-外传"} {
		size += len(l.read(mirror(book, "第02章"))) + len(l.read(ledger(book, "第02章")))
	}
	folders := a.data["folders"].([]any)
	i := slices.IndexFunc(folders, func(f any) bool { return f.(obj)["path"] == ".novel-writer/drafts" })
	if i < 0 || folders[i].(obj)["files"] != 4. || folders[i].(obj)["size"] != float64(size) || !strings.Contains(a.text, "  .novel-writer/drafts  4 个文件，") {
		t.Errorf("%s\n%s", a.raw, a.text)
	}
	if l.files() != before {
		t.Error("a diagnosis wrote something")
	}
	l.write("novels/雨夜灯/第01章 另一份.md", "撞号\n")
	l.write(".novel-writer/books/雨夜灯/state.json", "{")
	a = l.ok(diagnoseTool, nil)
	if a.data["healthy"] != false || !strings.Contains(a.text, "错误  《雨夜灯》.novel-writer/books/雨夜灯/state.json：") {
		t.Errorf("%s", a.text)
	}
}

// TestImport: scan writes nothing, apply copies into a new book, and no book that is there gets chapters.
func TestImport(t *testing.T) {
	t.Parallel()
	const importTool = "novel_import"
	l := newLibrary(t)
	text := "第一章 当铺\n\n雨落下来。\n\n第二章 渡口\n\n灯灭了。\n"
	l.write("来稿/灯.txt", text)
	l.write("来稿/灯.key", text)
	before, head := l.files(), l.head()
	for _, path := range []string{"来稿/灯.txt", l.path("来稿/灯.txt")} {
		a := l.ok(importTool, obj{"path": path})
		if a.str("book") != "灯" || len(a.data["chapters"].([]any)) != 2 || a.data["dry_run"] != true || !strings.Contains(a.text, "第02章  渡口") {
			t.Errorf("%s", a.raw)
		}
	}
	if l.files() != before || l.head() != head {
		t.Error("a scan wrote something")
	}
	a := l.ok(importTool, obj{"action": "apply", "path": "来稿", "book": "新书"})
	if l.read("来稿/灯.txt") != text || a.str("commit") != l.head() {
		t.Errorf("%s", a.raw)
	}
	rows := l.ok("novel_chapters", obj{"book": "新书"})
	if strings.Count(rows.raw, "chapter_committed") != 2 {
		t.Errorf("%s", rows.raw)
	}

	l.newBook("空书")
	l.write("novels/散稿/第09章.md", "别的\n")
	before, head = l.tree("novels"), l.head()
	for _, book := range []string{"新书", "空书", "散稿"} {
		a := l.call(importTool, obj{"action": "apply", "path": "来稿/灯.txt", "book": book})
		if !a.isErr || !strings.HasPrefix(a.text, "错误：《"+book+"》已存在；代理只能导入成新书") {
			t.Errorf("%s: %s", book, a.text)
		}
		if a := l.ok(importTool, obj{"path": "来稿/灯.txt", "book": book}); !strings.Contains(a.text, "已存在") {
			t.Errorf("%s: %s", book, a.text)
		}
	}
	for _, args := range []obj{
		{"action": "apply"},
		{"action": "apply", "path": "来稿/没有.txt"},
		{"action": "apply", "path": "来稿/灯.key", "book": "钥匙"},
		{"action": "apply", "path": filepath.Join(l.root, ".git", "HEAD"), "book": "钥匙"},
		{"action": "apply", "path": "来稿/灯.txt", "book": "a/b"},
		{"action": "adopt", "path": "来稿/灯.txt"},
	} {
		if a := l.call(importTool, args); !a.isErr {
			t.Errorf("%v: %s", args, a.text)
		}
	}
	if l.tree("novels") != before || l.head() != head {
		t.Error("something was written")
	}
}
