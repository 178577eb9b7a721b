package prose

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestParse(t *testing.T) {
	t.Parallel()
	x := Parse("\ufeff\r\n# 第三章 雨夜\r\n\r\n　　她推开门。\r\n\r\n灯亮着。\n")
	if x.Heading != "# 第三章 雨夜" || x.HeadingLine != 2 {
		t.Errorf("heading %q line %d", x.Heading, x.HeadingLine)
	}
	if len(x.Paragraphs) != 2 || x.Paragraphs[0] != (Paragraph{1, 4, "她推开门。"}) || x.Paragraphs[1].Index != 2 {
		t.Errorf("paragraphs %+v", x.Paragraphs)
	}
	if x.Body() != "她推开门。\n灯亮着。\n" {
		t.Errorf("body %q", x.Body())
	}
}

func TestHeadings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		line   string
		is     bool
		number int // -1: states none
	}{
		{"# 第三章 雨夜", true, 3},
		{"第03章", true, 3},
		{"第一百零一回　灵根育孕源流出　心性修持大道生", true, 101},
		{"《》目录 第一回　灵根育孕源流出　心性修持大道生", true, 1},
		{"正文 第十二章 题", true, 12},
		{"第 7 章：题", true, 7},
		{"## 雨夜", true, -1},
		{"楔子", true, -1},
		{"番外·雨夜", true, -1},
		{"第三回他来的时候，门是开着的。", false, -1},
		{"第三章他没有写完", false, -1},
		{"第二卷 水", false, -1},
		{"#井号开头的一句", false, -1},
		{"他说第三章写得不好", false, -1},
		{"第三章 " + strings.Repeat("长", 50), false, -1},
	} {
		if got := IsHeading(c.line); got != c.is {
			t.Errorf("IsHeading(%q) = %v", c.line, got)
		}
		n, ok := HeadingNumber(c.line)
		if !ok {
			n = -1
		}
		if n != c.number {
			t.Errorf("HeadingNumber(%q) = %d", c.line, n)
		}
	}
}

func TestSentences(t *testing.T) {
	t.Parallel()
	got := Sentences("“你来了？”她问。他没有答……雨还在下")
	want := []string{"“你来了？”", "她问。", "他没有答……", "雨还在下"}
	if strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("%q", got)
	}
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringOf(rapid.SampledFrom([]rune("他。！？”“…a 」"))).Draw(t, "s")
		if strings.Join(Sentences(s), "") != s {
			t.Fatalf("sentences of %q do not join to it", s)
		}
	})
}

func TestFoldAndHan(t *testing.T) {
	t.Parallel()
	if got := Fold("Ａb，  第１章·雨"); got != "ab第1章雨" {
		t.Errorf("Fold = %q", got)
	}
	if got := Han("第1章，雨夜。a〇"); got != 4 {
		t.Errorf("Han = %d", got)
	}
	if got := Cut("一二三四", 3); got != "一二…" {
		t.Errorf("Cut = %q", got)
	}
	if got := Around("一二三四五", 6, 9, 1); got != "…二三四…" {
		t.Errorf("Around = %q", got)
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	text := Parse(`沈砚把卷宗抽出来，翻到第四十二页。

她关掉顶灯，把台灯放倒，看见那三个字被人刮掉过。

` + strings.Repeat("江上起了雾，渡口没有人，只有水声一遍一遍地响。", 60) + `

何三没有说话。`)
	for _, c := range []struct {
		node      string
		strict    bool
		found     bool
		paragraph int
	}{
		{"翻到第四十二页", false, true, 1},
		{"翻到，第四十二页！", false, true, 1}, // punctuation does not matter
		{"沈砚 | 台灯 | 刮掉", false, true, 2},
		{"沈砚｜台灯／手电｜擦掉/刮掉", false, true, 2},
		{"沈砚 | 手电 | 刮掉", false, false, 0},
		{"沈砚 | 何三 | 说话", false, false, 0}, // far apart
		{"沈砚 | 台灯 | 刮掉", true, true, 1},
		{"何三 | 说话", true, true, 4},
		{"沈砚关掉顶灯看台灯下的卷宗", false, true, 1}, // free: most bigrams in one window
		{"沈砚关掉顶灯看台灯下的卷宗", true, false, 0},
		{"主角在雪山上遇见了多年未见的师父", false, false, 0},
		{"", false, false, 0},
		{" | | ", false, false, 0},
	} {
		m := Finder{Text: text, Strict: c.strict}.Find(c.node)
		if m.Found != c.found || m.Paragraph != c.paragraph {
			t.Errorf("Find(%q, strict %v) = %+v", c.node, c.strict, m)
		}
		if m.Found && (m.Quote == "" || m.Share == 0) {
			t.Errorf("Find(%q) shows nothing: %+v", c.node, m)
		}
	}
}

func TestFindUsesOtherNames(t *testing.T) {
	t.Parallel()
	f := Finder{Text: Parse("父亲拉了一下灯绳。"), Names: func(s string) []string {
		if s == "沈怀远" {
			return []string{"沈怀远", "父亲"}
		}
		return nil
	}}
	if !f.Find("沈怀远 | 灯绳").Found {
		t.Error("an alias was not found")
	}
	f.Names = nil
	if f.Find("沈怀远 | 灯绳").Found {
		t.Error("found without the alias")
	}
}

func TestMentions(t *testing.T) {
	t.Parallel()
	x := Parse("沈砚之来了。\n沈砚没有来。何三叔来了。")
	if n, p := x.Mentions("沈砚", "沈砚之"); n != 2 || p != 1 {
		t.Errorf("%d %d", n, p)
	}
	if n, _ := x.Mentions("三"); n != 0 {
		t.Errorf("a single character counted %d times", n)
	}
}

func FuzzParseAndFind(f *testing.F) {
	f.Add("# 第一章\n他来了。", "他 | 来")
	f.Add("第一回　题\r\n\xff\xfe", "｜/|")
	f.Fuzz(func(t *testing.T, text, node string) {
		x := Parse(text)
		m := Finder{Text: x}.Find(node)
		if m.Found && (m.Paragraph < 1 || m.Paragraph > len(x.Paragraphs)) {
			t.Errorf("paragraph %d of %d", m.Paragraph, len(x.Paragraphs))
		}
	})
}
