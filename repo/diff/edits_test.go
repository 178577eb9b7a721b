package diff

import (
	"fmt"
	"strings"
	"testing"
)

// spell writes the edits of a result in one line.
func spell(r *Result) string {
	var parts []string
	for _, e := range r.Edits {
		s := fmt.Sprintf("%s[%s→%s]", e.Class, strings.TrimSpace(e.Old), strings.TrimSpace(e.New))
		for _, c := range e.Changes {
			s += fmt.Sprintf("{%s[%s→%s]}", c.Class, c.Old, c.New)
		}
		parts = append(parts, s)
	}
	return strings.Join(parts, " ")
}

func TestClassTable(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, a, b, want string }{
		{"a wrong character", "他在等侯消息，一直到天亮。", "他在等候消息，一直到天亮。", "typo[侯→候]"},
		{"a missing character", "他推门，走了进去。", "他推开门，走了进去。", "typo[→开]"},
		{"two that changed places", "他的觉感没有错，雨要来了。", "他的感觉没有错，雨要来了。", "typo[觉感→感觉]"},
		{"a mark", "他走了，夜很黑，风很大。", "他走了。夜很黑，风很大。", "punctuation[，→。]"},
		{"a comma more", "他走了夜很黑风很大。", "他走了，夜很黑风很大。", "punctuation[→，]"},
		{"another word", "她高兴地推开门，走进院子里。", "她慌张地推开门，走进院子里。", "wording[高兴→慌张]"},
		{"a number is no typo", "一共有3个人在那里等他回来。", "一共有5个人在那里等他回来。", "wording[3→5]"},
		{"a letter", "He crossed the gaden on a cold morning.", "He crossed the garden on a cold morning.", "typo[→r]"},
		{"letters in disorder", "He crossed the gradne on a cold morning.", "He crossed the garden on a cold morning.", "typo[radne→arden]"},
		{"another Latin word", "He took the letter to the old house.", "He took the lantern to the old house.", "wording[etter→antern]"},
		{
			"an insertion stands between the marks", "雨停了，灯还亮着，她没有动。", "雨停了，风小了，灯还亮着，她没有动。",
			"wording[→风小了，]",
		},
		{
			"a sentence more", "他推开门。屋里没有人。", "他推开门。灯还亮着，茶也是热的。屋里没有人。",
			"sentence-added[→灯还亮着，茶也是热的。]",
		},
		{"a sentence less", "他推开门。灯还亮着，茶也是热的。屋里没有人。", "他推开门。屋里没有人。", "sentence-removed[灯还亮着，茶也是热的。→]"},
		{
			"a paragraph more", "他推开门。\n\n屋里没有人。\n", "他推开门。\n\n灯还亮着，茶也是热的。\n\n屋里没有人。\n",
			"paragraph-added[→灯还亮着，茶也是热的。]",
		},
		{"a paragraph at the end", "他推开门。\n", "他推开门。\n屋里没有人，灯还亮着。\n", "paragraph-added[→屋里没有人，灯还亮着。]"},
		{"a paragraph at the start", "他推开门。\n", "屋里没有人，灯还亮着。\n他推开门。\n", "paragraph-added[→屋里没有人，灯还亮着。]"},
		{"the only paragraph", "他推开门。", "", "paragraph-removed[他推开门。→]"},
	} {
		r := Texts(c.a, c.b, Options{})
		checkResult(t, c.a, c.b, r)
		if got := spell(r); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
		if len(r.Layout) != 0 {
			t.Errorf("%s: layout changes %+v", c.name, r.Layout)
		}
	}
}

func TestMoves(t *testing.T) {
	t.Parallel()
	p := []string{
		"　　雨从傍晚开始下，到了后半夜也没有停。", "　　林晚坐在窗边，把那封信又读了一遍。", "　　沈砚从门外进来，靴子上全是泥，手里还提着一盏灯。",
		"　　守灯人放下剪刀，望着他们两个人。", "　　远处传来钟声，一共十一下。",
	}
	text := func(order ...int) string {
		var b strings.Builder
		for _, i := range order {
			b.WriteString(p[i] + "\n")
		}
		return b.String()
	}
	t.Run("a paragraph", func(t *testing.T) {
		t.Parallel()
		r := Texts(text(0, 1, 2, 3, 4), text(1, 2, 3, 0, 4), Options{})
		body := strings.TrimSpace(p[0])
		if got, want := spell(r), "paragraph-moved["+body+"→] paragraph-moved[→"+body+"]"; got != want {
			t.Errorf("got %s", got)
		}
		if r.Stat.Count(ParagraphMoved) != 1 || r.Stat.Inserted+r.Stat.Deleted != 0 || r.Stat.Moved != utf16Len(body) {
			t.Errorf("stat %+v", r.Stat)
		}
	})
	t.Run("two neighbours go together", func(t *testing.T) {
		t.Parallel()
		r := Texts(text(0, 1, 2, 3, 4), text(2, 3, 4, 0, 1), Options{})
		if len(r.Edits) != 4 || r.Edits[0].Move != 1 || r.Edits[1].Move != 1 || r.Edits[2].Move != 1 || r.Edits[3].Move != 1 {
			t.Errorf("%+v", r.Edits)
		}
	})
	t.Run("edited on the way", func(t *testing.T) {
		t.Parallel()
		b := strings.Replace(text(0, 1, 3, 4, 2), "一盏灯", "两盏灯", 1)
		r := Texts(text(0, 1, 2, 3, 4), b, Options{})
		checkResult(t, text(0, 1, 2, 3, 4), b, r)
		if got := spell(r); !strings.HasSuffix(got, "{typo[一→两]}") || r.Stat.Count(ParagraphMoved) != 1 {
			t.Errorf("got %s, %+v", got, r.Stat)
		}
	})
	t.Run("a sentence to another paragraph", func(t *testing.T) {
		t.Parallel()
		a := "他推开门走了进去。灯还亮着，茶也是热的。屋里一个人也没有。\n她站在桥头等消息。天快要亮了。\n"
		b := "他推开门走了进去。屋里一个人也没有。\n她站在桥头等消息。灯还亮着，茶也是热的。天快要亮了。\n"
		r := Texts(a, b, Options{})
		checkResult(t, a, b, r)
		want := "sentence-moved[灯还亮着，茶也是热的。→] sentence-moved[→灯还亮着，茶也是热的。]"
		if got := spell(r); got != want {
			t.Errorf("got %s", got)
		}
		if e := r.Edits[1]; e.B.Paragraph != 2 || e.B.Sentence != 2 || r.Edits[0].A.Sentence != 2 {
			t.Errorf("places %+v %+v", r.Edits[0].A, e.B)
		}
	})
	t.Run("not when it is switched off", func(t *testing.T) {
		t.Parallel()
		r := Texts(text(0, 1, 2, 3, 4), text(1, 2, 3, 0, 4), Options{NoMoves: true})
		if r.Stat.Count(ParagraphMoved) != 0 || r.Stat.Count(ParagraphRemoved) != 1 || r.Stat.Count(ParagraphAdded) != 1 {
			t.Errorf("stat %+v", r.Stat)
		}
	})
}

// What is not prose is layout, and never an edit of a paragraph.
func TestLayoutTable(t *testing.T) {
	t.Parallel()
	base := "\u3000\u3000他推开门。\n\n\u3000\u3000雨停了。灯还亮着。\n"
	for _, c := range []struct {
		name, b, want string
	}{
		{"line ends", strings.ReplaceAll(base, "\n", "\r\n"), "line-end 3"},
		{"byte order mark", "\ufeff" + base, "byte-order-mark 1"},
		{"both", "\ufeff" + strings.ReplaceAll(base, "\n", "\r\n"), "line-end 3 byte-order-mark 1"},
		{"trailing blanks", strings.ReplaceAll(base, "。\n", "。  \n"), "trailing-blanks 2"},
		{"indentation", strings.ReplaceAll(base, "\u3000\u3000", ""), "indentation 2"},
		{"empty lines", strings.ReplaceAll(base, "\n\n", "\n"), "empty-lines 1"},
		{"more empty lines", strings.ReplaceAll(base, "\n\n", "\n\n\n"), "empty-lines 1"},
		{"final line end", strings.TrimSuffix(base, "\n"), "final-line-end 1"},
		{"blank between sentences", strings.ReplaceAll(base, "了。灯", "了。 灯"), "blanks 1"},
		{"a paragraph divided", strings.ReplaceAll(base, "了。灯", "了。\n\n\u3000\u3000灯"), "paragraph-break 1"},
	} {
		for _, r := range []*Result{Texts(base, c.b, Options{}), Texts(c.b, base, Options{})} {
			var got []string
			for _, k := range r.Stat.Layout {
				got = append(got, fmt.Sprintf("%s %d", k.Kind, k.Count))
			}
			if g := strings.Join(got, " "); g != c.want || len(r.Edits) != 0 {
				t.Errorf("%s: %s, want %s; edits %+v", c.name, g, c.want, r.Edits)
			}
		}
		checkResult(t, base, c.b, Texts(base, c.b, Options{}))
	}
}

// A rewritten clause is one edit and not a row of crumbs; far edits stay apart.
func TestTidy(t *testing.T) {
	t.Parallel()
	a := "她慢慢地走了过来，把手里的信放在桌上，然后一句话也没有说就离开了。"
	b := "她飞快地冲了出来，把手里的信放在桌上，然后一句话也没有说就转身走开了。"
	r := Texts(a, b, Options{})
	checkResult(t, a, b, r)
	if len(r.Edits) > 3 {
		t.Errorf("%d edits: %s", len(r.Edits), spell(r))
	}
	m := Texts(a, b, Options{Minimal: true})
	if len(m.Edits) < len(r.Edits) || marked(m) > marked(r) {
		t.Errorf("minimal: %s", spell(m))
	}
}

func TestSplitAndJoinedSentences(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ a, b string }{
		{"他推开门，屋里没有一个人。灯还亮着。", "他推开门。屋里没有一个人。灯还亮着。"},
		{"雨停了。他走到桥头，望着远处的灯火。谁也没有来。", "雨停了，他走到桥头，望着远处的灯火。谁也没有来。"},
		{"他走到桥头。望着远处的灯火，谁也没有来。", "他走到桥头，望着远处的灯火。谁也没有来。"},
	} {
		for _, r := range []*Result{Texts(c.a, c.b, Options{}), Texts(c.b, c.a, Options{})} {
			for _, e := range r.Edits {
				if e.Class != Punctuation {
					t.Errorf("%s / %s: %s", c.a, c.b, spell(r))
					break
				}
			}
		}
	}
}
