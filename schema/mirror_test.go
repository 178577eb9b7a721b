package schema

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var mirrorAt = time.Date(2026, 11, 10, 21, 39, 39, 69e6, time.FixedZone("", 8*3600))

const seedMirror = `## 第1段 · 2026-11-10 13:39:39

第一小段。

## 第2段 · 2026-11-10 13:39:39

……(这一段正文)

## 定稿落盘 · 第2章 · 2026-11-10 13:39:39

> 本章已写入正式章节:第02章 有篇.md(16 字)。本文件是草稿镜像,只追加、只给人看。

`

// Rows D150, D152, D157, D159: the seed's sample, written by three appends.
func TestSeedMirror(t *testing.T) {
	t.Parallel()
	var m []byte
	m = append(m, SegmentBlock(m, 1, "第一小段。", mirrorAt)...)
	m = append(m, SegmentBlock(m, 2, "……(这一段正文)", mirrorAt)...)
	m = append(m, FinalBlock(m, "第02章", "第02章 有篇.md", 16, "定稿", mirrorAt)...)
	if d := cmp.Diff(seedMirror, string(m)); d != "" {
		t.Error(d)
	}
	got := ParseSegments(m)
	want := []Segment{
		{Index: 1, At: "2026-11-10 13:39:39", Text: "第一小段。"},
		{Index: 2, At: "2026-11-10 13:39:39", Text: "……(这一段正文)", Start: strings.Index(seedMirror, "## 第2段")},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("D187, D189: %s", d)
	}
	if CountSegments(m) != 2 || SegmentChars(got) != 14 {
		t.Errorf("count %d, chars %d", CountSegments(m), SegmentChars(got))
	}
}

func TestFinalBlock(t *testing.T) {
	t.Parallel()
	if got := string(FinalBlock(nil, "第02章", "第02章.md", 9, " 正文 ", mirrorAt)); !strings.HasSuffix(got, "只给人看。\n\n正文\n\n") {
		t.Errorf("D158: %q", got)
	}
	if got := string(FinalBlock(nil, "番外·雨夜", "番外·雨夜.md", 9, "", mirrorAt)); !strings.HasPrefix(got, "## 定稿落盘 · 番外·雨夜 · 2026") {
		t.Errorf("unnumbered: %q", got)
	}
	m := SegmentBlock(nil, 1, "甲", mirrorAt)
	m = append(m, KeptBlock(m, "第02章", "分支 b 的\n文本", "乙\n\n丙", mirrorAt)...)
	m = append(m, SegmentBlock(m, 2, "丁", mirrorAt)...)
	if got := ParseSegments(m); len(got) != 2 || got[0].Text != "甲" || got[1].Text != "丁" {
		t.Errorf("a kept text is part of a segment: %+v", got)
	}
	if !bytes.Contains(m, []byte("## 合并留存 · 第02章 · 2026-11-10 13:39:39\n\n> 分支 b 的 文本\n\n乙\n\n丙\n\n")) {
		t.Errorf("kept block:\n%s", m)
	}
}

func TestSegmentHeaders(t *testing.T) {
	t.Parallel()
	tests := []struct {
		row, in string
		count   int
		texts   []string
	}{
		{"D141 no time, spaces", "## 第 2 段\n\n甲\n", 1, []string{"甲"}},
		{"K22 more spaces than the count allows", "##  第2段\n甲", 0, []string{"甲"}},
		{"D142, K36 inside a text", "## 第1段\n甲\n## 第9段\n乙", 2, []string{"甲", "乙"}},
		{"D139 lines, not the maximum", "## 第7段\n\n## 第7段\n", 2, []string{"", ""}},
		{"D155 CRLF", "## 第1段 · 2026-11-10 13:39:39\r\n\r\n甲\r\n乙\r\n", 1, []string{"甲\r\n乙"}},
		{"D155 BOM", "\ufeff## 第1段\n甲", 1, []string{"甲"}},
		{"D154 notes stay with their segment", "## 第1段\n甲\n\n> 批注\n", 1, []string{"甲\n\n> 批注"}},
		{"text before the first header", "# 题\n## 第1段\n甲", 1, []string{"甲"}},
		{"words after 段 are counted but no header", "## 第1段落\n甲", 1, nil},
		{"third level", "### 第1段\n甲", 0, nil},
		{"not at the start of a line", "a ## 第1段\n", 0, nil},
		{"no number", "## 第段\n## 第一段\n", 0, nil},
		{"a big number", "## 第99999999999999999999段\n甲", 1, []string{"甲"}},
		{"JavaScript's line ends", "x\u2028## 第1段\u2029甲\r## 第2段\n", 2, []string{"甲", ""}},
		{"the number on the next line counts", "## 第\n1段\n", 1, nil},
		{"other headings are text", "## 第1段\n## 小标题\n甲", 1, []string{"## 小标题\n甲"}},
		{"segments go on after the final block", "## 第1段\n甲\n## 定稿落盘 · 第1章\n> x\n## 第2段\n乙", 2, []string{"甲", "乙"}},
		{"empty", "", 0, nil},
	}
	for _, tt := range tests {
		t.Run(tt.row, func(t *testing.T) {
			t.Parallel()
			if got := CountSegments([]byte(tt.in)); got != tt.count {
				t.Errorf("count %d, want %d", got, tt.count)
			}
			var texts []string
			for _, s := range ParseSegments([]byte(tt.in)) {
				texts = append(texts, s.Text)
			}
			if d := cmp.Diff(tt.texts, texts); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestSegmentBlockJoint(t *testing.T) {
	t.Parallel()
	for tail, want := range map[string]string{
		"": "## 第3段", "x\n\n": "## 第3段", "x\r\n\r\n": "## 第3段", "x\n": "\n## 第3段", "x": "\n\n## 第3段", "x\r\n": "\n## 第3段",
	} {
		if got := string(SegmentBlock([]byte(tail), 3, "甲", mirrorAt)); got != want+" · 2026-11-10 13:39:39\n\n甲\n\n" {
			t.Errorf("after %q: %q", tail, got)
		}
	}
}

// Whatever stands in a mirror, an append adds exactly its segment and changes no byte.
func TestAppendIsReadBack(t *testing.T) {
	t.Parallel()
	piece := rapid.SampledFrom([]string{"## 第1段", " · x", "\n", "\r\n", "甲", "## 定稿落盘", "\ufeff", " ", "第", "段"})
	rapid.Check(t, func(t *rapid.T) {
		m := []byte(strings.Join(rapid.SliceOfN(piece, 0, 12).Draw(t, "mirror"), ""))
		text := TrimJS(rapid.StringOf(rapid.SampledFrom([]rune("甲乙。\n# 第1段·"))).Draw(t, "text"))
		if strings.Contains(text, "##") || text == "" {
			return
		}
		after := append(bytes.Clone(m), SegmentBlock(m, 5, text, mirrorAt)...)
		if CountSegments(after) != CountSegments(m)+1 {
			t.Fatalf("%q counts %d, then %d", after, CountSegments(m), CountSegments(after))
		}
		segs := ParseSegments(after)
		last := segs[len(segs)-1]
		if len(segs) != len(ParseSegments(m))+1 || last.Index != 5 || last.Text != text || !bytes.HasPrefix(after[last.Start:], []byte("## 第5段")) {
			t.Fatalf("%q gives %+v", after, segs)
		}
	})
}

// The count is that of the seed's expression, line by line.
func TestCountSegmentsByLines(t *testing.T) {
	t.Parallel()
	piece := rapid.SampledFrom([]string{"## 第", "##", " 第", "1", " ", "段", "\n", "\r", "\u2028", "\u2029", "甲", "\ufeff", "## 第1段", "\xe2"})
	rapid.Check(t, func(t *rapid.T) {
		m := []byte(strings.Join(rapid.SliceOfN(piece, 0, 14).Draw(t, "mirror"), ""))
		want := 0
		for rest := string(trimBOM(m)); rest != ""; {
			if after, ok := strings.CutPrefix(rest, "## 第"); ok {
				if _, after, ok = segmentNumber(after); ok && strings.HasPrefix(after, "段") {
					want++
				}
			}
			_, rest = cutLineJS(rest)
		}
		if got := CountSegments(m); got != want {
			t.Fatalf("%q counts %d, want %d", m, got, want)
		}
	})
}

func FuzzMirror(f *testing.F) {
	f.Add([]byte(seedMirror))
	f.Add([]byte("\ufeff## 第\r1 段\u2028##第2段·"))
	f.Fuzz(func(t *testing.T, m []byte) {
		if n := CountSegments(m); n < 0 || n > len(m) {
			t.Fatal(n)
		}
		last := -1
		for _, s := range ParseSegments(m) {
			if s.Start <= last || !bytes.HasPrefix(m[s.Start:], []byte("##")) || TrimJS(s.Text) != s.Text {
				t.Fatalf("%+v", s)
			}
			last = s.Start
		}
	})
}

func answer(l Ledger, text string, threshold int) (Ledger, DraftAnswer) {
	next, b := l.Append(text, threshold, mirrorAt)
	return next, NewDraftAnswer("雨夜灯", "第03章", "/d", "/d/第03章__draft.md", next, b, threshold)
}

func TestDraftAnswers(t *testing.T) {
	t.Parallel()
	text := func(n int) string { return strings.Repeat("字", n) }
	tests := []struct {
		row       string
		threshold int
		segments  []int
		want      DraftAnswer // the numbers of the last answer
		ledger    Ledger
	}{
		{"D118", 400, []int{5}, DraftAnswer{SegmentIndex: 1, PendingChars: 5, Remaining: 395, NextAction: NextContinue}, Ledger{Segments: 1, PendingChars: 5, TotalChars: 5}},
		{"D119", 100, []int{50, 50}, DraftAnswer{SegmentIndex: 2, PendingChars: 100, Remaining: 100, Prompts: 1, NextAction: NextAskUser}, Ledger{Segments: 2, TotalChars: 100, Prompts: 1}},
		{"D120", 100, []int{50, 49}, DraftAnswer{SegmentIndex: 2, PendingChars: 99, Remaining: 1, NextAction: NextContinue}, Ledger{Segments: 2, PendingChars: 99, TotalChars: 99}},
		{"D121, D122", 150, []int{162}, DraftAnswer{SegmentIndex: 1, PendingChars: 162, Remaining: 150, Prompts: 1, NextAction: NextAskUser}, Ledger{Segments: 1, TotalChars: 162, Prompts: 1}},
		{"D127", 100, []int{100, 30}, DraftAnswer{SegmentIndex: 2, PendingChars: 30, Remaining: 70, Prompts: 1, NextAction: NextContinue}, Ledger{Segments: 2, PendingChars: 30, TotalChars: 130, Prompts: 1}},
	}
	for _, tt := range tests {
		t.Run(tt.row, func(t *testing.T) {
			t.Parallel()
			var l Ledger
			var a DraftAnswer
			for _, n := range tt.segments {
				l, a = answer(l, text(n), tt.threshold)
			}
			got := DraftAnswer{SegmentIndex: a.SegmentIndex, PendingChars: a.PendingChars, Remaining: a.Remaining, Prompts: a.Prompts, NextAction: a.NextAction}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Error(d)
			}
			if (a.NextAction == NextAskUser) != (a.Question != "") || (a.Question != "") != (a.CombinedText != "") {
				t.Errorf("D20, D21: %+v", a)
			}
			l.Pending, l.UpdatedAt = nil, ""
			if d := cmp.Diff(tt.ledger, l); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestDraftAnswerTexts(t *testing.T) {
	t.Parallel()
	l, a := answer(Ledger{}, "甲乙", 5)
	if got, want := a.Render(), "<type>novel-draft</type>\n<content>\n已写入第 1 段,待确认 2/5 字,还差 3 字到阈值\n\n镜像文件(给人看的,你不要读):/d/第03章__draft.md\n"+
		"第 1 段已写入(2 字)|待确认 2/5 字|本章已提问 0 次\n\n程序判定:继续写下一段(还差 3 字到阈值)——不要自己去问用户。\n</content>"; got != want {
		t.Errorf("D29: %s", cmp.Diff(want, got))
	}
	_, a = answer(l, "丙丁戊", 5)
	if a.CombinedText != "甲乙\n\n丙丁戊" {
		t.Errorf("D124: %q", a.CombinedText)
	}
	if want := "这一段(本批合并 2 段 / 共 5 字,程序阈值 5 字)写得对不对?\n\n甲乙\n\n丙丁戊\n\n对就继续写下一段;哪里不对请直接说,我按你说的改。"; a.Question != want {
		t.Errorf("D125, K12, K15: %q", a.Question)
	}
	if !strings.Contains(a.Message, "已达阈值,现在停下来问用户") {
		t.Errorf("D28: %q", a.Message)
	}
	for _, want := range []string{"|本批 5 字 / 阈值 5 字|本章已提问 1 次", "程序判定:现在停下来问用户(阈值已到)。\n【问题】" + a.Question + "\n【本批正文】甲乙\n\n丙丁戊\n</content>"} {
		if !strings.Contains(a.Render(), want) {
			t.Errorf("D30, D31: %q is not in\n%s", want, a.Render())
		}
	}
	if strings.Contains(a.Render(), "待确认") {
		t.Error("D31: both forms")
	}
	raw, err := MarshalCompact(a)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(members(raw)); n != 15 {
		t.Errorf("D21: %d keys", n)
	}
	_, a = answer(Ledger{}, "甲", 5)
	if raw, err = MarshalCompact(a); err != nil || len(members(raw)) != 13 {
		t.Errorf("D19: %v %s", err, raw)
	}
	if got := fmt.Sprintf(DraftInsideBook, "雨夜灯"); got != "草稿镜像不能放在正文目录 novels/雨夜灯/ 内——半成品会被章节扫描当成正文,污染字数与基线" {
		t.Errorf("D37: %s", got)
	}
}
