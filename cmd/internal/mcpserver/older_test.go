package mcpserver_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"git-novel/workflow"
)

// TestOlderLibrary: what the older plugin left is adopted without losing a byte, and the tools go on with it.
func TestOlderLibrary(t *testing.T) {
	t.Parallel()
	root := filepath.Join(t.TempDir(), "旧库")
	files := map[string]string{
		"novels/雨夜灯/第01章.md":                      "第一章的正文，雨下了一夜。\n",
		"novels/雨夜灯/第02章 灯.md":                    "第二章的正文，灯亮了一夜。\n",
		".novel-writer/drafts/雨夜灯/3__draft.md":    "## 第1段\n\n旧草稿的第一段。\n\n〔人写的批注〕\n",
		".novel-writer/summaries/雨夜灯.json":        `{"book":"雨夜灯","summaries":[{"chapter":"2","summary":"旧","tags":["x"]},null,{"chapter":"第一千零一章","summary":"千"}]}`,
		".novel-writer/state.json":                `{"chatThreshold": 200, "lastRoot": "/x", "features": {"chatWriting": true, "leanWorkflow": {"level": 2}}, "tools": {"novel_plot": false}}`,
		".novel-writer/trash/旧书-20250101/a.md":    "删过的\n",
		".novel-writer/embedding/雨夜灯/vectors.bin": "\x00\x01\x02",
		".novel-writer/settings/雨夜灯.json":         `{"characters": []}`,
	}
	for name, text := range files {
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755))
		must(t, os.WriteFile(filepath.Join(root, name), []byte(text), 0o644))
	}
	o := optionsFor(t)
	_, err := workflow.Init(t.Context(), o, root)
	must(t, err)
	l := &library{t: t, root: root, opts: o}
	l.root, err = filepath.EvalSymlinks(root)
	must(t, err)
	l.opts.Dir = l.root
	l.connect()
	for name, text := range files {
		if got := l.read(name); got != text {
			t.Errorf("%s is now %q", name, got)
		}
	}
	if got := chaptersOf(l.ok(summaryTool, obj{"book": "雨夜灯"})); got != "第02章 第1001章" {
		t.Errorf("summaries of %s", got)
	}
	a := l.ok(draftTool, seg("雨夜灯", "第三章", "新草稿的一段。"))
	if a.num("segmentIndex") != 2 || a.num("threshold") != 200 || a.str("draftFile") != l.path(mirror("雨夜灯", "3")) {
		t.Errorf("%s", a.raw)
	}
	if got := l.read(mirror("雨夜灯", "3")); !strings.HasPrefix(got, files[".novel-writer/drafts/雨夜灯/3__draft.md"]) {
		t.Errorf("mirror is %q", got)
	}
	if a := l.ok(newChapterTool, obj{"content": "第三章的正文。"}); a.num("number") != 3 {
		t.Errorf("%s", a.raw)
	}
	if got := l.read(mirror("雨夜灯", "3")); !strings.Contains(got, "## 定稿落盘 · 第3章 · ") { // the older place of the switch counts
		t.Errorf("mirror is %q", got)
	}
	l.ok(configTool, obj{"chatThreshold": 300})
	if got := l.read(stateFile); !strings.Contains(got, `"lastRoot": "/x"`) || !strings.Contains(got, `"novel_plot": false`) || !strings.Contains(got, `"level": 2`) {
		t.Errorf("state.json is %s", got)
	}
}
