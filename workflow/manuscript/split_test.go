package manuscript

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"git-novel/schema"
)

func asError(err error, e **schema.Error) bool { return errors.As(err, e) }

// body is a paragraph of a chapter.
const body = "\n　　雨下了一整夜，屋檐下的灯笼忽明忽暗。沈砚放下茶盏，起身推门，门外没有人，只有一串湿脚印。\n\n　　且听第三回分解，他想，第二章的事还没有完。\n\n"

// book builds a text from headings, with a body behind each.
func book(headings ...string) string {
	var b strings.Builder
	for _, h := range headings {
		b.WriteString(h + "\n" + body)
	}
	return b.String()
}

// list renders what was found: number or key, and title, one each line.
func list(p *Plan) string {
	var out []string
	for i := range p.Chapters {
		c := &p.Chapters[i]
		s := string(c.Key)
		if c.Numbered() {
			s = fmt.Sprint(c.Number)
		}
		if c.Title != "" {
			s += " " + c.Title
		}
		out = append(out, s)
	}
	return strings.Join(out, "|")
}

func checkWhole(t interface {
	Helper()
	Fatalf(string, ...any)
}, p *Plan, text string,
) {
	t.Helper()
	var b strings.Builder
	at := 0
	for i := range p.Chapters {
		if p.Chapters[i].Start != at {
			t.Fatalf("chapter %d starts at %d, the one before ends at %d", i, p.Chapters[i].Start, at)
		}
		at = p.Chapters[i].End
		b.WriteString(p.TextOf(i))
	}
	if b.String() != text && strings.Trim(text, blanks+"\n") != "" {
		t.Fatalf("chapters are not the text:\n%q\n%q", b.String(), text)
	}
	keys := map[schema.ChapterKey]bool{}
	for i := range p.Chapters {
		c := &p.Chapters[i]
		if c.Key == "" {
			t.Fatalf("chapter %d has no key", i)
		}
		if keys[c.Key] && len(p.Duplicates)+len(p.Restarts)+len(p.Disorder) == 0 {
			t.Fatalf("key %s twice", c.Key)
		}
		keys[c.Key] = true
	}
}

func TestSplitHeadings(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		text string
		want string
	}{
		{"hui", book("第一回　灵根育孕", "第二回　悟彻菩提"), "1 灵根育孕|2 悟彻菩提"},
		{"zhang padded", book("第01章 雨夜", "第02章 证词"), "1 雨夜|2 证词"},
		{"full width", book("第０１章　雨夜", "第０２章　证词"), "1 雨夜|2 证词"},
		{"zhengwen", book("正文 第一章 雨夜", "正文 第二章 证词", "正文 第三章 题"), "1 雨夜|2 证词|3 题"},
		{"english", book("Chapter 1", "CHAPTER II", "Chap. 3: The Lamp", "Chapter Four — Rain"), "1|2|3 The Lamp|4 Rain"},
		{"jie", book("第1节 雨夜", "第2节 证词"), "1 雨夜|2 证词"},
		{"hua", book("第1话 雨夜", "第2话 证词"), "1 雨夜|2 证词"},
		{"ji", book("第1集 雨夜", "第2集 证词"), "1 雨夜|2 证词"},
		{"sections inside chapters are text", book("第一章 雨夜", "第一节 门", "第二节 灯", "第二章 证词", "第一节 堂", "第三章 结"), "1 雨夜|2 证词|3 结"},
		{"a section that fills a hole", book("第一章 雨夜", "第二章 证词", "第三节 结", "第四章 尾"), "1 雨夜|2 证词|3 结|4 尾"},
		{"named", book("楔子", "第一章 雨夜", "番外·雨夜", "第二章 证词", "番外二 灯", "尾声", "后记：写在最后", "附录　人物表"), "楔子|1 雨夜|番外·雨夜|2 证词|番外二 灯|尾声|后记 写在最后|附录 人物表"},
		{"named front", book("序", "序章 旧事", "引子", "前言", "第一章 雨夜"), "序|序章 旧事|引子|前言|1 雨夜"},
		{"catalogue", book("《》目录 第一回　灵根", "《西游记》目录 附录　陈光蕊", "《》目录 第二回　菩提"), "1 灵根|附录 陈光蕊|2 菩提"},
		{"brackets", book("【第一章】", "【第二章 证词】", "【第三章】结"), "1|2 证词|3 结"},
		{"markdown", book("# 第一章 雨夜", "### 第二章 证词", "## 楔子"), "1 雨夜|2 证词|楔子"},
		{"ornaments", book("☆、第1章 雨夜", "☆、第2章 证词"), "1 雨夜|2 证词"},
		{"book name", book("雨夜灯 第一章 雨夜", "雨夜灯 第二章 证词", "雨夜灯 第三章 结"), "1 雨夜|2 证词|3 结"},
		{"indented", book("　　第一章 雨夜", "　　第二章 证词"), "1 雨夜|2 证词"},
		{"glued", book("第一章雨夜", "第二章证词"), "1 雨夜|2 证词"},
		{"question", book("第一章 你是谁？", "第二章 杀！", "第三章 “住手”"), "1 你是谁？|2 杀！|3 “住手”"},
		{"parts", book("第一章 雨夜（上）", "第二章 雨夜（下）"), "1 雨夜（上）|2 雨夜（下）"},
		{"without di", book("01章 雨夜", "02章 证词", "03章 结"), "1 雨夜|2 证词|3 结"},
		{"positional", book("第九九章 雨", "第一零零章 夜", "第一零一章 灯"), "99 雨|100 夜|101 灯"},
		{"formal numerals", book("第壹章 雨", "第贰章 夜", "第叁章 灯"), "1 雨|2 夜|3 灯"},
		{"chapter zero", book("卷首语", "第0章 缘起", "第1章 雨"), "卷首语|0 缘起|1 雨"},
		{"a range", book("第一章 雨", "第2-3章 夜", "第四章 灯"), "1 雨|2 夜|4 灯"},
		{"a part number", book("第三章 雨", "第3.5章 夜", "第四章 灯"), "3 雨|第3.5章 夜|4 灯"},
		{"end marks", book("第一章 雨", "第一章 完", "第二章 夜", "（第二章完）"), "1 雨|2 夜"},
		{"front matter", "《雨夜灯》\n作者：某\n\n" + book("第一章 雨"), "卷首|1 雨"},
		{"blank front", "\n　\n\n" + book("第一章 雨"), "1 雨"},
		{"no heading", "只有正文。\n", "卷首"},
		{"advertising stays", "第一章 雨\n更新时间：2010-1-1 12:00:00\n手机用户请浏览某站阅读。\n" + body + "PS：第三章求月票！\n第二章 夜\n" + body, "1 雨|2 夜"},
		{"printed twice", "第一章 雨\n\n第一章 雨\n" + body + "第二章 夜\n更新时间：2010-1-1\n第二章 夜\n" + body, "1 雨|2 夜"},
		{"extras of one name", book("第一章 雨", "番外 灯", "番外 夜", "番外"), "1 雨|番外·灯 灯|番外·夜 夜|番外"},
		{"extras without title", book("第一章 雨", "番外", "第二章 夜", "番外"), "1 雨|番外|2 夜|番外 (2)"},
		{"above 9999", book("第9999章 雨", "第10000章 夜"), "9999 雨|第10000章 夜"},
		{"bare", longBook("（一）", "（二）", "（三）", "（四）"), "1|2|3|4"},
		{"bare with titles", longBook("1、雨", "2、夜", "3、灯"), "1 雨|2 夜|3 灯"},
		{"a short list is no book", "一、买米\n二、买油\n三、买盐\n", "卷首"},
		{"bare sections are text", longBook("第一章 雨", "（一）", "（二）", "（三）", "第二章 夜"), "1 雨|2 夜"},
		{"numbered twice", book("第1章 第一章 雨", "第2章 第二章 夜"), "1 雨|2 夜"},
		{"running numbers", book("1.第一章 雨", "2.第二章 夜", "3、第三章 灯"), "1 雨|2 夜|3 灯"},
		{"extras with numbers", book("第一章 雨", "番外第1章 灯", "番外 第2章 门", "番外（三）堂"), "1 雨|番外1 灯|番外2 门|番外（三） 堂"},
		{"english parts", book("PART ONE\n\nChapter 1", "Chapter 2", "Part II: Rain\n\nChapter 3"), "1|2|3"},
		{"only volumes", book("卷一 雨", "卷二 夜"), "卷一 雨|卷二 夜"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := Split(tt.text, Options{})
			checkWhole(t, p, tt.text)
			if got := list(p); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			if err := p.Err("x.txt"); err != nil {
				t.Error(err)
			}
		})
	}
}

func longBook(headings ...string) string {
	var b strings.Builder
	for _, h := range headings {
		b.WriteString(h + "\n" + strings.Repeat(body, 4))
	}
	return b.String()
}

// Lines of prose are no headings, wherever they stand.
func TestSplitSentences(t *testing.T) {
	t.Parallel()
	for _, s := range []string{
		"第三回他来了。", "且听第三回分解", "第三回的事，谁也没有提起", "第三回合开始", "第一节课下了", "　　第三章里写得很清楚。", "第一集团军到了",
		"序幕拉开了", "番外来了！", "第三章是我写的", "Chapter 4 was the longest", "第一章到第三章", "《第三回的故事》", "第三天", "第三章，他说",
		"终章已经写完了，大家再见。", "第三回他推门进来，看见灯下坐着一个人；那人抬起头，说：“你来了。”他点点头，坐下了",
		"第一章 雨　第二章 夜　第三章 灯",
	} {
		t.Run(s, func(t *testing.T) {
			t.Parallel()
			text := "第一章 雨\n" + body + s + "\n" + body + "第二章 夜\n" + body + s + "\n第三章 灯\n" + body
			p := Split(text, Options{})
			checkWhole(t, p, text)
			if got := list(p); got != "1 雨|2 夜|3 灯" {
				t.Errorf("got %s", got)
			}
		})
	}
}

func TestSplitContents(t *testing.T) {
	t.Parallel()
	toc := "第一章 雨\n第二章 夜\n第三章 灯\n"
	whole := book("第一章 雨", "第二章 夜", "第三章 灯")
	for name, text := range map[string]string{
		"directly before":  "雨夜灯\n目录\n" + toc + whole,
		"blank lines":      "目录\n\n" + strings.ReplaceAll(toc, "\n", "\n\n") + "\n" + whole,
		"with pages":       "目录\n第一章 雨……1\n第二章 夜……12\n第三章 灯……30\n\n" + whole,
		"introduction":     "目录\n" + toc + "\n内容简介：这是一本书，讲了一个很长的故事。\n\n" + whole,
		"one line":         "目录\n第一章 雨　第二章 夜　第三章 灯\n\n" + whole,
		"other separators": "目录\n第一章：雨\n第二章：夜\n第三章：灯\n\n" + whole,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := Split(text, Options{})
			checkWhole(t, p, text)
			if got := list(p); got != "卷首|1 雨|2 夜|3 灯" {
				t.Errorf("got %s", got)
			}
			if err := p.Err(""); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestSplitVolumes(t *testing.T) {
	t.Parallel()
	through := book("第一卷 风起\n\n第一章 雨", "第二章 夜", "番外·灯", "第二卷 云涌\n\n第三章 门", "第四章 堂")
	p := Split(through, Options{})
	checkWhole(t, p, through)
	if got := list(p); got != "1 雨|2 夜|番外·灯|3 门|4 堂" {
		t.Errorf("got %s", got)
	}
	if got := volumes(p); got != "第一卷 风起 1-2|第二卷 云涌 3-4" {
		t.Errorf("got %s", got)
	}
	if !strings.HasPrefix(p.TextOf(3), "第二卷 云涌\n") {
		t.Errorf("the volume heading is not with its chapter: %q", p.TextOf(3))
	}

	inline := book("第一卷 风起 第一章 雨", "第一卷 风起 第二章 夜", "第二卷 云涌 第三章 门")
	p = Split(inline, Options{})
	if got := list(p) + " / " + volumes(p); got != "1 雨|2 夜|3 门 / 第一卷 风起 1-2|第二卷 云涌 3-3" {
		t.Errorf("got %s", got)
	}

	preface := "第一卷 风起\n" + strings.Repeat(body, 4) + book("第一章 雨", "第二章 夜")
	p = Split(preface, Options{})
	checkWhole(t, p, preface)
	if got := list(p); got != "第一卷 风起|1 雨|2 夜" {
		t.Errorf("got %s", got)
	}
}

func volumes(p *Plan) string {
	var out []string
	for _, v := range p.Volumes {
		out = append(out, strings.TrimSpace(fmt.Sprintf("%s %s %d-%d", v.Name, v.Title, v.First, v.Last)))
	}
	return strings.Join(out, "|")
}

func TestSplitRestarts(t *testing.T) {
	t.Parallel()
	with := book("第一卷 风起\n\n第一章 雨", "第二章 夜", "第二卷 云涌\n\n第一章 门", "第二章 堂", "尾声")
	without := book("第一章 雨", "第二章 夜", "第一章 门", "第二章 堂", "尾声")
	for name, text := range map[string]string{"headings": with, "no headings": without} {
		p := Split(text, Options{})
		checkWhole(t, p, text)
		var e *schema.Error
		if err := p.Err("x.txt"); !errors.As(err, &e) || len(e.Details) != 1 || e.Details[0].Rule != "import-restart" || e.Details[0].File != "x.txt" {
			t.Errorf("%s: %v", name, err)
		}
		p = Split(text, Options{Renumber: true})
		checkWhole(t, p, text)
		if got := list(p); got != "1 雨|2 夜|3 门|4 堂|尾声" || !p.Renumbered || p.Err("") != nil {
			t.Errorf("%s: got %s, %v", name, got, p.Err(""))
		}
		want := "第一卷 风起 1-2|第二卷 云涌 3-4"
		if name == "no headings" {
			want = "1-2|3-4"
		}
		if got := volumes(p); got != want {
			t.Errorf("%s: got %s", name, got)
		}
		if c := p.Chapters[2]; c.Source != 1 || c.Number != 3 {
			t.Errorf("%s: %+v", name, c)
		}
	}
}

func TestSplitNumberFaults(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		headings []string
		rules    string
		gaps     string
	}{
		{"duplicate", []string{"第1章 a", "第2章 b", "第2章 c", "第3章 d"}, "import-duplicate", "[]"},
		{"swapped", []string{"第1章 a", "第3章 b", "第2章 c", "第4章 d"}, "import-disorder", "[]"},
		{"slip down", []string{"第11章 a", "第12章 b", "第1章 c", "第14章 d"}, "import-disorder", "[{13 13}]"},
		{"slip up", []string{"第11章 a", "第12章 b", "第1300章 c", "第14章 d"}, "import-disorder", "[{13 13}]"},
		{"gap", []string{"第1章 a", "第2章 b", "第5章 c", "第6章 d"}, "", "[{3 4}]"},
		{"extra behind zero", []string{"第0章 a", "番外·b", "第1章 c"}, "import-after-zero", "[]"},
		{"starts late", []string{"第101章 a", "第102章 b"}, "", "[]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := Split(book(tt.headings...), Options{})
			var rules []string
			for _, f := range p.Faults("") {
				rules = append(rules, f.Rule)
			}
			if got := strings.Join(rules, " "); got != tt.rules || fmt.Sprint(p.Gaps) != tt.gaps {
				t.Errorf("got %q, gaps %v, %s", got, p.Gaps, list(p))
			}
			if tt.rules != "" {
				r := Split(book(tt.headings...), Options{Renumber: true})
				if r.Err("") != nil || r.Numbered()+strings.Count(strings.Join(tt.headings, ""), "番外") != len(tt.headings) {
					t.Errorf("renumbered: %s %v", list(r), r.Err(""))
				}
			}
		})
	}
}

// The order map must bring the book back in the order of the source.
func TestSplitPlaces(t *testing.T) {
	t.Parallel()
	p := Split("书名\n"+book("楔子", "第一章 雨", "第二章 夜", "番外一 a", "番外二 b", "第三章 灯", "附录 表"), Options{})
	var got []string
	for i := range p.Chapters {
		if c := &p.Chapters[i]; !c.Numbered() {
			got = append(got, string(c.Key)+"<"+c.After)
		}
	}
	if s := strings.Join(got, " "); s != "卷首<0000 楔子<卷首 番外一<0002 番外二<番外一 附录<0003" {
		t.Error(s)
	}
}

func TestSplitDoubts(t *testing.T) {
	t.Parallel()
	doubt := func(text, key string) bool {
		p := Split(text, Options{})
		for i := range p.Chapters {
			if string(p.Chapters[i].Key) == key {
				return p.Chapters[i].Doubtful()
			}
		}
		t.Errorf("no %s in %s", key, list(p))
		return false
	}
	if doubt(book("第一章 雨", "第二章 夜"), "第01章") {
		t.Error("a plain heading is doubtful")
	}
	for name, text := range map[string]string{
		"bare":         longBook("（一）", "（二）", "（三）"),
		"out of order": book("第1章 a", "第2章 b", "第7章 c", "第3章 d"),
		"empty":        "第一章 雨\n第二章 夜\n" + body + "第03章 灯\n\n",
		"range":        book("第1-2章 a", "第3-4章 b"),
	} {
		key := "第03章"
		if name == "out of order" {
			key = "第07章"
		}
		if !doubt(text, key) {
			t.Errorf("%s: no doubt", name)
		}
	}
}

// Whatever the text, its chapters are the text and their keys differ.
func TestSplitLosesNothing(t *testing.T) {
	t.Parallel()
	pieces := []string{
		"第一章 雨\n", "第二章 夜\n", "第三回\n", "　　第3节 题\n", "第一卷 风起\n", "卷二\n", "楔子\n", "番外\n", "番外·灯\n", "附录 表\n", "（三）\n", "4、题\n",
		"Chapter 5\n", "\n", "　\n", "他来了。\n", "且听第三回分解。\n", "《》目录 第六回　题\n", "第3.5章\n", "第7-9章 合\n", "第10001章 题\n", body, "更新时间：1\n", "☆", "第",
	}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.SampledFrom(pieces)).Draw(t, "pieces"), "")
		for _, o := range []Options{{}, {Renumber: true}} {
			p := Split(text, o)
			checkWhole(t, p, text)
			if o.Renumber && p.Err("") != nil {
				t.Fatalf("renumbered and still at fault: %v", p.Err(""))
			}
		}
	})
}

func FuzzSplit(f *testing.F) {
	f.Add("第一章 雨\n雨下了一夜。\n第二章 夜\n", true)
	f.Add("目录\n第一章\n第二章\n第三章\n第一章\n甲\n第二章\n乙\n第三章\n丙", false)
	f.Add("【第三章】\n### 楔子\n（一）\n卷一\nChapter IV: x", false)
	f.Fuzz(func(t *testing.T, text string, renumber bool) {
		checkWhole(t, Split(text, Options{Renumber: renumber}), text)
	})
}

func BenchmarkSplit(b *testing.B) {
	var text strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&text, "第%d章 雨夜\n%s", i+1, strings.Repeat(body, 20))
	}
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		if n := Split(text.String(), Options{}).Numbered(); n != 2000 {
			b.Fatal(n)
		}
	}
}
