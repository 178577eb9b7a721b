package schema

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// keyRows is the table of reference section 1.7 with the decisions of DESIGN 4 (K2, K3, K4, K24, K25, K31): what the two
// seeds' tools make of a chapter argument. draft "" is the same as summary.
var keyRows = []struct{ row, in, summary, draft string }{
	{"seed summary: 2", "2", "第02章", ""},
	{"02", "02", "第02章", ""},
	{"D48 003", "003", "第03章", ""},
	{"D48 full width", "３", "第03章", ""},
	{"D48 spaces", " 3 ", "第03章", ""},
	{"seed summary: 第02章.md", "第02章.md", "第02章", ""},
	{"第2章", "第2章", "第02章", ""},
	{"第002章", "第002章", "第02章", ""},
	{"seed draft: 第2章.md", "第2章.md", "第02章", ""},
	{"upper-case ending", "第02章.MD", "第02章", ""},
	{"Y52 .txt", "第02章.txt", "第02章", ""},
	{"seed draft: title is dropped", "第03章 证词里的空白", "第03章", ""},
	{"heading", "# 第02章 雨夜", "第02章", ""},
	{"seed summary: 第二章", "第二章", "第02章", ""},
	{"heading with Chinese number", "## 第二章", "第02章", ""},
	{"Y48, K4 二章", "二章", "第02章", ""},
	{"Y49 二", "二", "二", ""},
	{"三", "三", "三", ""},
	{"Y50 回", "第2回", "第02章", ""},
	{"Y50 话", "第2话", "第02章", ""},
	{"Y50 节", "第2节", "第02章", ""},
	{"traditional marks", "第2話", "第02章", ""},
	{"seed summary: 第０１章", "第０１章", "第01章", ""},
	{"D52", "第０３章", "第03章", ""},
	{"seed summary: 第一千零一章", "第一千零一章", "第1001章", ""},
	{"第一百零八章", "第一百零八章", "第108章", ""},
	{"第两百章", "第两百章", "第200章", ""},
	{"D51 第二十三章", "第二十三章", "第23章", ""},
	{"K3, D55, Y44 第一万章", "第一万章", "第一万章", ""},
	{"K2, D54, Y45 第10001章", "第10001章", "第10001章", ""},
	{"K2, Y46 第99999章", "第99999章", "第99999章", ""},
	{"10001", "10001", "10001", ""},
	{"9999", "9999", "第9999章", ""},
	{"seed summary: 07-陨落", "07-陨落", "第07章", ""},
	{"07_陨落", "07_陨落", "第07章", ""},
	{"07.陨落", "07.陨落", "第07章", ""},
	{"07 陨落", "07 陨落", "第07章", ""},
	{"07、陨落", "07、陨落", "第07章", ""},
	{"tab is a separator", "07\t陨落", "第07章", ""},
	{"K24 7陨落", "7陨落", "7陨落", ""},
	{"K24, Y53 3月的雨", "3月的雨", "3月的雨", ""},
	{"3.5", "3.5", "第03章", ""},
	{"K24, Y54 第3.5章", "第3.5章", "第3.5章", ""},
	{"3.5章", "3.5章", "3.5章", ""},
	{"第 3 章", "第 3 章", "第03章", ""},
	{"K24 第2卷", "第2卷", "第2卷", ""},
	{"K25, D66 番外2", "番外2", "番外2", ""},
	{"K25 番外 2", "番外 2", "番外 2", ""},
	{"extras count for themselves", "番外 第一章", "番外 第一章", ""},
	{"K24 ch3", "ch3", "ch3", ""},
	{"K24 Chapter 3", "Chapter 3", "Chapter 3", ""},
	{"seed summary: 番外·雨夜", "番外·雨夜", "番外·雨夜", ""},
	{"Y57 初遇", "初遇", "初遇", ""},
	{"first match wins, volume", "第二卷 第3章", "第03章", ""},
	{"volume without 第", "第二卷3章", "第03章", ""},
	{"first match wins", "第1章和第2章", "第01章", ""},
	{"behind another word", "正文 第三章 题", "第03章", ""},
	{"Y55 第零章", "第零章", "第零章", ""},
	{"Y55 第0章", "第0章", "第00章", ""},
	{"0", "0", "第00章", ""},
	{"DESIGN 4, Y56 第一零零一章", "第一零零一章", "第1001章", ""},
	{"reference 1.6 第一二章", "第一二章", "第12章", ""},
	{"第一〇一章", "第一〇一章", "第101章", ""},
	{"a run is read whole: 第廿一章", "第廿一章", "第廿一章", ""},
	{"no reading is certain: 第一百二章", "第一百二章", "第一百二章", ""},
	{"最后一章 is not chapter 1", "最后一章", "最后一章", ""},
	{"两回事 is not chapter 2", "两回事", "两回事", ""},
	{"1984", "1984", "第1984章", ""},
	{"2024-01-01", "2024-01-01", "第2024章", ""},
	{"D71 BOM", "\ufeff第03章", "第03章", ""},
	{"bidi mark", "第\u202e03章", "第03章", ""},
	{"K24 01初遇", "01初遇.md", "01初遇", "01初遇.md"},
	{"D57 a/b/c", "a/b/c", "a/b/c", "abc"},
	{"D67 a..b", "a..b", "a..b", "a.b"},
	{"D67 .x.", ".x.", ".x.", "x"},
	{"D68 CON", "CON", "CON", "_CON"},
	{"D69", "未命名章", "未命名章", ""},
	{"D72 control character", "雨\n\u0007夜", "雨夜", ""},
	{"D65", "番外·雨夜", "番外·雨夜", ""},
	// No summary slot (Y60); drafts always have a key.
	{"Y60 .md", ".md", "", "md"},
	{"Y60 #", "#", "", "#"},
	{"D46, D47 blank", "", "", "未命名章"},
	{"D47 spaces", "   ", "", "未命名章"},
	{"D47 ideographic space", "　", "", "未命名章"},
	{"seed draft: ***", "***", "***", "章-36c3eaa0"},
	{"D59 ..", "..", "..", "章-9d891e73"},
	{"D59 ///", "///", "///", "章-c64b8480"},
	{"fixture ...", "...", "...", "章-6eae3a5b"},
	{"fixture ?", "?", "?", "章-5bab61eb"},
	{`fixture "`, `"`, `"`, "章-2ace62c1"},
	{"fixture ::", "::", "::", "章-f62e0ea6"},
	{"fixture <>", "<>", "<>", "章-d3270f85"},
	{"fixture |", "|", "|", "章-3eb41622"},
	{"D60 48 units", strings.Repeat("a", 48), strings.Repeat("a", 48), ""},
	{"D61 49 units", strings.Repeat("a", 49), strings.Repeat("a", 49), strings.Repeat("a", 48) + "-1e6669"},
	{"seed draft: a×300", strings.Repeat("a", 300), strings.Repeat("a", 300), strings.Repeat("a", 48) + "-003ef1"},
	{"D63", strings.Repeat("字", 60), strings.Repeat("字", 60), strings.Repeat("字", 48) + "-9a67f3"},
	{"D64 60 units", strings.Repeat("😀", 30), strings.Repeat("😀", 30), strings.Repeat("😀", 24) + "-7e4bc9"},
	{"D64, K31 no half pair", "a" + strings.Repeat("😀", 30), "a" + strings.Repeat("😀", 30), "a" + strings.Repeat("😀", 23) + "-01381b"},
}

func TestSeedKeys(t *testing.T) {
	t.Parallel()
	for _, tt := range keyRows {
		t.Run(tt.row, func(t *testing.T) {
			t.Parallel()
			got, ok := SummaryKey(tt.in)
			if got != tt.summary || ok != (tt.summary != "") {
				t.Errorf("SummaryKey(%q) = %q, %v; want %q", tt.in, got, ok, tt.summary)
			}
			want := tt.draft
			if want == "" {
				want = tt.summary
			}
			if got := DraftKey(tt.in); got != want {
				t.Errorf("DraftKey(%q) = %q, want %q", tt.in, got, want)
			}
		})
	}
}

func TestParseChapterKey(t *testing.T) {
	t.Parallel()
	tests := []struct{ in, key, id string }{
		{"3", "第03章", "0003"},
		{"0003", "第03章", "0003"},
		{"第03章 雨夜.md", "第03章", "0003"},
		{"第0003章-雨夜", "第03章", "0003"},
		{"第120章", "第120章", "0120"},
		{"0", "第00章", "0000"},
		{"番外·雨夜.md", "番外·雨夜", "番外·雨夜"},
		{"番外·雨夜.txt", "番外·雨夜", "番外·雨夜"},
		{"CON", "_CON", "_CON"},
		{"../../x", "x", "x"},
		{":3", "第03章", "0003"},
		{"x.md.md", "x", "x"},
		{"e\u0301", "é", "é"},
		{"10001", "10001", "10001"},
		{"第2卷", "第2卷", "第2卷"},
	}
	for _, tt := range tests {
		t.Run(tt.in, func(t *testing.T) {
			t.Parallel()
			k, err := ParseChapterKey(tt.in)
			if err != nil {
				t.Fatal(err)
			}
			if string(k) != tt.key || k.ID() != tt.id {
				t.Errorf("got %q, id %q; want %q, %q", k, k.ID(), tt.key, tt.id)
			}
			if KeyOfID(k.ID()) != k || !IsChapterID(k.ID()) {
				t.Errorf("KeyOfID(%q) = %q", k.ID(), KeyOfID(k.ID()))
			}
		})
	}
	for _, bad := range []string{"", " \t　", "***", "..", "\u202e", ".md", strings.Repeat("字", 67)} {
		if k, err := ParseChapterKey(bad); CodeOf(err) != CodeInvalid {
			t.Errorf("%q gave %q, %v", bad, k, err)
		}
	}
	for _, bad := range []string{"3", "003", "第03章", "a/b", "", "..", "番外.md"} {
		if IsChapterID(bad) {
			t.Errorf("%q is taken for a chapter id", bad)
		}
	}
}

func TestParseChinese(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]int{
		"一": 1, "十": 10, "十五": 15, "二十": 20, "二十三": 23, "百": 100, "百零八": 108, "一百一": 0, "一百一十": 110, "两千零二十": 2020,
		"一千零一": 1001, "一千一": 0, "九千九百九十九": 9999, "九九九九": 9999, "一〇〇": 100, "零三": 3, "零": 0, "一零": 10, "一万": 0,
		"十百": 0, "一二十": 0, "二十三四": 0, "三两": 0, "两": 2, "一零零零一": 0, "三千零五": 3005, "两百": 200, "一千零一十": 1010,
	} {
		n, ok := parseChinese([]rune(in))
		if ok != (want != 0) || ok && n != want {
			t.Errorf("%s = %d, %v; want %d", in, n, ok, want)
		}
	}
}

func TestClaimMirror(t *testing.T) {
	t.Parallel()
	tests := []struct {
		row   string
		names []string
		key   string
		want  string
	}{
		{"D73 claims the literal name", []string{"3__draft.md", "3__state.json"}, "第03章", "3"},
		{"D74 canonical wins", []string{"3__draft.md", "第03章__draft.md"}, "第03章", "第03章"},
		{"D76 claims a name with a title", []string{"第03章 证词里的空白__draft.md"}, "第03章", "第03章 证词里的空白"},
		{"D77 a ledger claims nothing", []string{"3__state.json"}, "第03章", "第03章"},
		{"D81 other endings claim nothing", []string{"3.md", "3__draft.md.bak", "__draft.md"}, "第03章", "第03章"},
		{"first by file name", []string{"第3章__draft.md", "03__draft.md", "3__draft.md"}, "第03章", "03"},
		{"an extra claims nothing of a chapter", []string{"番外3__draft.md"}, "第03章", "第03章"},
		{"unnumbered keys claim nothing", []string{"3__draft.md"}, "番外", "番外"},
		{"empty folder", nil, "第03章", "第03章"},
	}
	for _, tt := range tests {
		t.Run(tt.row, func(t *testing.T) {
			t.Parallel()
			if got := ClaimMirror(tt.names, tt.key); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestCompareKeys(t *testing.T) {
	t.Parallel()
	rows := []ChapterKey{"第00章", "第02章", "第10章", "第999章", "第1001章", "10001", "楔子", "番外·雨夜"}
	for i, a := range rows {
		for j, b := range rows {
			if got := CompareKeys(a, b); got < 0 != (i < j) || got > 0 != (i > j) {
				t.Errorf("CompareKeys(%s, %s) = %d", a, b, got)
			}
		}
	}
	for _, p := range [][2]ChapterKey{{"ABC", "ａｂｃ"}, {"é", "e\u0301"}, {"番外Ａ", "番外a"}} {
		if !SameKey(p[0], p[1]) {
			t.Errorf("%q and %q are two chapters", p[0], p[1])
		}
	}
	if SameKey("番外一", "番外二") {
		t.Error("two extras are one")
	}
}

func checkKey(t interface{ Fatalf(string, ...any) }, s string) {
	n, ok := ParseNumber(s)
	if m, _, slow := numberIn([]rune(nameText(s))); ok != slow || ok && m != n {
		t.Fatalf("the fast way reads %q as %d, %v; the rules as %d, %v", s, n, ok, m, slow)
	}
	if fast, ok := plainChapterFile(s + ".md"); ok {
		if slow, ok := anyChapterFile(s + ".md"); !ok || fast != slow {
			t.Fatalf("the fast way takes %q apart as %+v; the rules as %+v, %v", s+".md", fast, slow, ok)
		}
	}
	if n, ok := FileNumber(s + ".md"); ok {
		if slow, ok := anyChapterFile(s + ".md"); ok && slow.Number != n {
			t.Fatalf("FileNumber(%q) = %d; the rules say %+v", s+".md", n, slow)
		}
	}
	if _, ok := ParseChapterFile(s + ".md"); ok != isChapterFile(s+".md") {
		t.Fatalf("isChapterFile(%q) = %v", s+".md", !ok)
	}
	d := DraftKey(s)
	if d == "" || !utf8.ValidString(d) || UTF16Len(d) > maxDraftKey+7 {
		t.Fatalf("DraftKey(%q) = %q", s, d)
	}
	if seg, ok := SanitizeSegment(d); !ok || seg != d {
		t.Fatalf("the draft key %q of %q is no safe segment", d, s)
	}
	if k, ok := SummaryKey(s); ok {
		if again, _ := SummaryKey(k); again != k {
			if more, _ := SummaryKey(again); len(more) > len(again) {
				t.Fatalf("SummaryKey(%q) grows: %q, %q, %q", s, k, again, more)
			}
		}
	}
	k, err := ParseChapterKey(s)
	if err != nil {
		return
	}
	if again, err := ParseChapterKey(string(k)); err != nil || again != k {
		t.Fatalf("key of key of %q: %q, %q, %v", s, k, again, err)
	}
	if seg, ok := SanitizeSegment(string(k)); !ok || seg != string(k) {
		t.Fatalf("the key %q of %q is no safe segment", k, s)
	}
	if strings.ContainsFunc(string(k), hiddenRune) {
		t.Fatalf("the key %q has hidden characters", k)
	}
	if KeyOfID(k.ID()) != k {
		t.Fatalf("KeyOfID(%q) = %q, want %q", k.ID(), KeyOfID(k.ID()), k)
	}
	m, numbered := k.Number()
	if ok && (!numbered || m != n) {
		t.Fatalf("%q has number %d, its key %q has %d", s, n, k, m)
	}
	if numbered && (NumberKey(m) != k || m > MaxNumber) {
		t.Fatalf("%q has number %d", k, m)
	}
	info, ok := ParseChapterFile(ChapterFileName(k, s, 4))
	if !ok || info.Key != k {
		t.Fatalf("the file name %q of key %q reads as %q", ChapterFileName(k, s, 4), k, info.Key)
	}
	if len(ChapterFileName(k, s, 4)) > 255 {
		t.Fatalf("file name too long for %q", s)
	}
}

func chapterish() *rapid.Generator[string] {
	part := rapid.SampledFrom([]string{
		"第", "章", "回", "卷", "番外", "3", "12", "００３", ".", "-", " ", "　", "一", "千", "零", "万", "两", "雨夜", "#", ".md", ".txt", ":", "/",
		"\u202e", "\n", "CON", "😀", "e\u0301", "_", "、", "10001", "最后",
	})
	return rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOfN(part, 0, 8), func(p []string) string { return strings.Join(p, "") }))
}

func TestKeyProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) { checkKey(t, chapterish().Draw(t, "s")) })
}

func FuzzChapterKey(f *testing.F) {
	for _, r := range keyRows {
		f.Add(r.in)
	}
	f.Fuzz(func(t *testing.T, s string) { checkKey(t, s) })
}
