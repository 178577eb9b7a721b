package diff

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files")

func chinese() Labels {
	return Labels{
		Lang: "zh-CN", Title: "改动", Old: "原文", New: "新文", Identical: "两个文本完全相同", OnlyIn: "正文相同，只有排版不同",
		Typo: "错字", Punctuation: "标点", Wording: "措辞", SentenceAdded: "增句", SentenceRemoved: "删句", SentenceMoved: "移句",
		ParagraphAdded: "增段", ParagraphRemoved: "删段", ParagraphMoved: "移段", ByteOrderMark: "字节顺序标记", LineEnd: "换行符",
		TrailingBlanks: "行尾空白", Indentation: "缩进", EmptyLines: "空行", FinalLineEnd: "末行换行", ParagraphBreak: "分段",
		Blanks: "句间空白", Paragraph: "第%d段", Paragraphs: "第%d–%d段", Unchanged: "%d段未改", MovedTo: "移到第%d段",
		MovedFrom: "移自第%d段", Layout: "排版", Count: "%d处", Summary: "%d处改动，涉及%d段：增%d字，删%d字",
		Moved: "移动%d字", Sizes: "%d → %d字，%d → %d段",
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", "golden", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != got {
		t.Errorf("%s differs; run with -update and look at the change:\n%s", name, got)
	}
}

func fixture(t *testing.T) (a, b string) {
	t.Helper()
	read := func(name string) string {
		data, err := os.ReadFile(filepath.Join("testdata", "golden", name))
		if err != nil {
			t.Fatal(err)
		}
		return strings.ReplaceAll(string(data), "\r\n", "\n")
	}
	return read("before.txt"), read("after.txt")
}

func TestGolden(t *testing.T) {
	t.Parallel()
	a, b := fixture(t)
	r := Texts(a, b, Options{})
	checkResult(t, a, b, r)
	golden(t, "unified.txt", r.Unified(RenderOptions{Labels: chinese(), Context: 0}))
	golden(t, "unified_color.txt", r.Unified(RenderOptions{Labels: English(), Context: 1, Color: true, From: "draft", To: "the text on disk"}))
	golden(t, "side.txt", r.SideBySide(RenderOptions{Labels: chinese(), Width: 84, Context: 0}))
	golden(t, "stat.txt", r.StatText(RenderOptions{Labels: chinese()})+"\n"+r.StatText(RenderOptions{Labels: English()}))
	golden(t, "page.html", r.HTML(RenderOptions{Labels: chinese(), Context: -1}))
	golden(t, "sentences.txt", Sentences(a))
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "result.json", string(data)+"\n")
}

func TestSideBySideKeepsItsColumns(t *testing.T) {
	t.Parallel()
	for _, width := range []int{20, 41, 84, 120} {
		for _, color := range []bool{false, true} {
			a := novel(5, 6)
			r := Texts(a, scatter(a, 3, 30)+"他走了😀。👨‍👩‍👧\n", Options{})
			out := r.SideBySide(RenderOptions{Labels: chinese(), Width: width, Color: color})
			for line := range strings.SplitSeq(out, "\n") {
				left, _, ok := strings.Cut(line, " │")
				if !ok || strings.Contains(line, "─") {
					continue
				}
				left = strings.NewReplacer(ansiReset, "", ansiStruck, "", ansiRed, "", ansiGreen, "", ansiYellow, "", ansiCyan, "", ansiDim, "").Replace(left)
				if got := columns(left); got != max((width-3)/2, 8) {
					t.Fatalf("width %d: a left column of %d: %q", width, got, line)
				}
			}
		}
	}
}

// Nothing in a text may leave the page or drive the terminal.
func TestRenderersEscape(t *testing.T) {
	t.Parallel()
	evil := "他说：<script>alert(1)</script> & \"x\"\x1b[2J\u202e\x07。\n"
	r := Texts("他说：好。\n", evil, Options{})
	st := RenderOptions{Labels: English(), Context: -1}
	for name, out := range map[string]string{"unified": r.Unified(st), "side": r.SideBySide(st), "stat": r.StatText(st), "html": r.HTML(st)} {
		for _, bad := range []string{"\x1b", "\u202e", "\x07"} {
			if strings.Contains(out, bad) {
				t.Errorf("%s passes %q through", name, bad)
			}
		}
	}
	page := r.HTML(st)
	if strings.Contains(page, "<script") {
		t.Error("a script reached the page")
	}
	if strings.Count(page, "<section") != strings.Count(page, "</section>") {
		t.Error("sections are not closed")
	}
	for _, outside := range []string{"http:", "https:", "url(", "@import", " src="} {
		if strings.Contains(page, outside) {
			t.Errorf("the page needs %q", outside)
		}
	}
}

func TestLabelsAreComplete(t *testing.T) {
	t.Parallel()
	for _, l := range []Labels{English(), chinese()} {
		for _, c := range Classes() {
			if l.Class(c) == "" || l.Class(c) == string(c) && strings.Contains(string(c), "-") {
				t.Errorf("%s: class %s has no word", l.Lang, c)
			}
		}
		for _, k := range Kinds() {
			if l.Kind(k) == "" || l.Kind(k) == string(k) && strings.Contains(string(k), "-") {
				t.Errorf("%s: kind %s has no word", l.Lang, k)
			}
		}
		for i, f := range l.Formats() {
			if f == "" {
				t.Errorf("%s: label %d is empty", l.Lang, i)
			}
		}
	}
	if got := English().Map("xx", strings.ToUpper); got.Typo != "TYPO" || got.Lang != "xx" {
		t.Errorf("Map gives %q %q", got.Typo, got.Lang)
	}
}
