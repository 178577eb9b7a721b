package diff

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestSentenceTable(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{"他走了。夜很黑。", "他走了。|夜很黑。"},
		{"“你走吧。”他说。", "“你走吧。”|他说。"},
		{"「真的？！」她问，「什么时候？」", "「真的？！」|她问，「什么时候？」"},
		{"我……我不知道。", "我……我不知道。"},
		{"“我……”他低下头。", "“我……”|他低下头。"},
		{"（雨停了。）他抬头。", "（雨停了。）|他抬头。"},
		{"等等！！！别走", "等等！！！|别走"},
		{"走了。……又回来了。", "走了。……|又回来了。"},
		{"没有句号", "没有句号"},
		{"《山海经》。他合上书。", "《山海经》。|他合上书。"},
		{"圆周率是3.14。记住了？", "圆周率是3.14。|记住了？"},
		{"Mr. Lin came in. It rained.", "Mr. Lin came in.|It rained."},
		{"J. R. Lin wrote it. \"Yes,\" he said. \"No.\" She left.", "J. R. Lin wrote it.|\"Yes,\" he said.|\"No.\"|She left."},
		{"So do I. Then he went.", "So do I.|Then he went."},
		{"See e.g. the notes. Fine.", "See e.g. the notes.|Fine."},
		{"Wait... what? No!", "Wait... what?|No!"},
		{"用go1.26。OK.下一句。", "用go1.26。|OK.|下一句。"},
		{"", ""},
	} {
		var got []string
		for _, p := range paragraphs(c.text) {
			for _, s := range sentences(c.text, p) {
				got = append(got, s.of(c.text))
			}
		}
		if g := strings.Join(got, "|"); g != c.want {
			t.Errorf("%q\n got %s\nwant %s", c.text, g, c.want)
		}
	}
}

func TestParagraphTable(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{"一\n二\n\n三", "一|二|三"},
		{"\ufeff\u3000\u3000一 \r\n\r\n\t二\u3000\r三", "一|二|三"},
		{" \n\u3000\n\t", ""},
		{"", ""},
		{"\ufeff", ""},
		{"一", "一"},
	} {
		if got := strings.Join(bodies(c.text, paragraphs(c.text)), "|"); got != c.want {
			t.Errorf("%q: %s, want %s", c.text, got, c.want)
		}
	}
}

// Splitting loses and invents nothing: sentences lie in their paragraph in order, with blanks only between them.
func TestSplittingIsLossless(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := textGen().Draw(t, "text") + rapid.String().Draw(t, "more")
		pos := 0
		if strings.HasPrefix(text, bom) {
			pos = len(bom)
		}
		for _, p := range paragraphs(text) {
			if strings.TrimSpace(text[pos:p.start]) != "" || p.start >= p.end {
				t.Fatalf("%q between paragraphs", text[pos:p.start])
			}
			at := p.start
			for _, s := range sentences(text, p) {
				if s.start < at || s.start >= s.end || strings.TrimSpace(text[at:s.start]) != "" {
					t.Fatalf("%q between sentences", text[at:s.start])
				}
				at = s.end
			}
			if at != p.end {
				t.Fatalf("the paragraph ends with %q", text[at:p.end])
			}
			pos = p.end
		}
		if strings.TrimSpace(text[pos:]) != "" {
			t.Fatalf("%q behind the last paragraph", text[pos:])
		}
		tk := tokenizer{}
		if toks := tk.split(text); len(toks.offs) != len(toks.ids)+1 || toks.offs[len(toks.ids)] != len(text) {
			t.Fatalf("clusters end at %v of %d", toks.offs, len(text))
		}
	})
}

func TestGraphemesStayWhole(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ a, b, old, new string }{
		{"他笑了👨‍👩‍👧。", "他笑了👨‍👩‍👦。", "👨‍👩‍👧", "👨‍👩‍👦"},
		{"cafe\u0301好", "café好", "e\u0301", "é"},
		{"旗🇨🇳升起", "旗🇨🇦升起", "🇨🇳", "🇨🇦"},
		{"葛\U000e0100城", "葛城", "葛\U000e0100", "葛"},
	} {
		r := Texts(c.a, c.b, Options{})
		if len(r.Edits) != 1 || r.Edits[0].Old != c.old || r.Edits[0].New != c.new {
			t.Errorf("%q → %q: %+v", c.a, c.b, r.Edits)
		}
	}
}
