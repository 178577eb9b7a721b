package schema

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const volumeOutline = `# 《雨夜灯》卷纲

# 第一卷 风起（1-40章）
- 叙事功能：起
- 本卷目标：让沈砚走进当铺的案子

### 第1章：当铺
- 目标：让沈砚接下旧账
- 阻力：掌柜不认账，更夫在场
- 代价：押上祖传的灯
- 时间锚点：第三日清晨
- 章内跨度：半日
- 倒计时：七日之期
- CBN：沈砚 | 推开 | 当铺的门
- CPNs：沈砚 | 逼问 | 掌柜，掌柜不答、更夫 | 敲 | 三更
- CEN：灯灭
- 必须覆盖节点：
  - 沈砚 | 找到 | 旧账、灯盏
  - 铜灯熄灭，更夫走远
- 本章禁区：不可暴露身份；不可离城
- 章末未闭合问题：谁改了账？
- 钩子类型：悬念
- 钩子强度：强
- 关键实体/涉及实体：沈砚、掌柜，更夫
- Strand：quest
- 反派层级：小头目
- 叙事角色：起

## 第二章: 渡口
**本章目标**: 过河
**CPNs**:
- 船家 | 拒绝 | 沈砚
- 沈砚 | 留下 | 铜灯
**Strand**: main_heavy

#### 第０３章 证词里的空白
* **目标：** 查出
  证词的空白
* 代价 一夜
* 灵感：写雨声
* 灵感：少写灯

# 第2卷：夜航
### 第四十一章 夜航
> - 目标：出海
> - 倒计时：无

### 番外·雨夜：一盏灯
目标：补完旧事
`

func TestParseOutlineMarkdown(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		volumeOutline, "\ufeff" + strings.ReplaceAll(volumeOutline, "\n", "\r\n"), "```markdown\n" + volumeOutline + "```\n",
		strings.ReplaceAll(volumeOutline, "\n\n", "\n<!-- 目标：不算\n不算 -->\n---\n"),
	} {
		doc, err := ParseOutlines("卷纲.md", []byte(text), []string{"main_heavy"})
		if err != nil {
			t.Fatalf("%v %v", err, DetailsOf(err))
		}
		if doc.Title != "《雨夜灯》卷纲" {
			t.Errorf("title %q", doc.Title)
		}
		volumes := []Volume{
			{Number: 1, Title: "风起", First: 1, Last: 40, Role: "起", Goal: "让沈砚走进当铺的案子"},
			{Number: 2, Title: "夜航", First: 41, Last: 41},
		}
		if d := cmp.Diff(volumes, doc.Volumes); d != "" {
			t.Error(d)
		}
		want := []*Outline{
			{Chapter: "0001", Title: "当铺", Content: OutlineContent{
				Goal: "让沈砚接下旧账", MustPayoff: []string{}, Forbidden: []string{"不可暴露身份", "不可离城"}, Role: "起",
				CBN: "沈砚 | 推开 | 当铺的门", CPNs: []string{"沈砚 | 逼问 | 掌柜，掌柜不答", "更夫 | 敲 | 三更"}, CEN: "灯灭",
				MustCover: []string{"沈砚 | 找到 | 旧账、灯盏", "铜灯熄灭，更夫走远"}, KeyEntities: []string{"沈砚", "掌柜", "更夫"},
				Obstacles: []string{"掌柜不认账", "更夫在场"}, Cost: "押上祖传的灯", TimeAnchor: "第三日清晨", Span: "半日", Countdown: "七日之期",
				OpenQuestion: "谁改了账？", HookType: "悬念", HookStrength: "强", Thread: "quest", Antagonist: "小头目",
			}},
			{Chapter: "0002", Title: "渡口", Content: OutlineContent{
				Goal: "过河", MustPayoff: []string{}, Forbidden: []string{}, Strand: "main_heavy", MustCover: []string{}, KeyEntities: []string{},
				CPNs: []string{"船家 | 拒绝 | 沈砚", "沈砚 | 留下 | 铜灯"},
			}},
			{Chapter: "0003", Title: "证词里的空白", Note: "写雨声\n少写灯", Content: OutlineContent{
				Goal: "查出证词的空白", MustPayoff: []string{}, Forbidden: []string{}, CPNs: []string{}, MustCover: []string{}, KeyEntities: []string{}, Cost: "一夜",
			}},
			{Chapter: "0041", Title: "夜航", Content: OutlineContent{
				Goal: "出海", MustPayoff: []string{}, Forbidden: []string{}, CPNs: []string{}, MustCover: []string{}, KeyEntities: []string{},
			}},
			{Chapter: "番外·雨夜", Title: "一盏灯", Content: OutlineContent{
				Goal: "补完旧事", MustPayoff: []string{}, Forbidden: []string{}, CPNs: []string{}, MustCover: []string{}, KeyEntities: []string{},
			}},
		}
		if len(doc.Outlines) != len(want) {
			t.Fatalf("%d outlines", len(doc.Outlines))
		}
		for i, w := range want {
			w.Schema, w.Exposure = SchemaOutline, DefaultExposure()
			if d := cmp.Diff(w, doc.Outlines[i].Outline); d != "" {
				t.Error(d)
			}
		}
	}
}

// The form that planners fill in: nodes by their names, values of several lines, counted nodes.
func TestParseOutlineTemplate(t *testing.T) {
	t.Parallel()
	doc, err := ParseOutlines("o.md", []byte(`# 第 1 卷：雨夜旧账 - 详细大纲
> 本卷章节范围：1-10 章
> 卷叙事角色：起

### 第 1 章：当铺里的灯

- 目标: 沈砚进当铺
- 爽点:
  - 铺垫: 旧账
  - 代价: 掌柜失色
- 倒计时状态: D-7
- 视角/主角: 沈砚
- CBN：沈砚 | 推开 | 门
- CPN1：沈砚 | 逼问 | 掌柜
- CPN-2：掌柜 | 藏起 | 账册
- 必须覆盖节点：ＣＢＮ、CPN2、灯灭
- 本章禁区：
    1. 不得揭示真凶
    2. 不得打斗
`), nil)
	if err != nil {
		t.Fatal(err, DetailsOf(err))
	}
	if d := cmp.Diff([]Volume{{Number: 1, Title: "雨夜旧账", First: 1, Last: 10, Role: "起"}}, doc.Volumes); d != "" {
		t.Error(d)
	}
	want := OutlineContent{
		Goal: "沈砚进当铺", Highlight: "铺垫: 旧账；代价: 掌柜失色", Countdown: "D-7", PointOfView: "沈砚", CBN: "沈砚 | 推开 | 门",
		CPNs: []string{"沈砚 | 逼问 | 掌柜", "掌柜 | 藏起 | 账册"}, MustCover: []string{"沈砚 | 推开 | 门", "掌柜 | 藏起 | 账册", "灯灭"},
		Forbidden: []string{"不得揭示真凶", "不得打斗"}, MustPayoff: []string{}, KeyEntities: []string{},
	}
	if d := cmp.Diff(want, doc.Outlines[0].Content); d != "" {
		t.Error(d)
	}
	_, err = ParseOutlines("o.md", []byte("### 第1章\n- 目标：g\n- 必须覆盖节点：CBN、CPN3\n"), nil)
	if got := faultTexts(t, err); len(got) != 2 {
		t.Errorf("%q", got)
	}
}

// Every form of a heading that writers use, and those that must not be taken for one.
func TestChapterHeading(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"第3章：题": "3 题", "第3章:题": "3 题", "第 3 章 题": "3 题", "第03章　题": "3 题", "第三章题": "3 题", "第十二回：题": "12 题", "第3章": "3 ",
		"第1001章 题": "1001 题", "第一千零一章 题": "1001 题", "第0章 楔子": "0 楔子", "第3章——题": "3 题", "第３章：题：中": "3 题：中", "第10000章 题": "-1 题",
		"第廿一章 题": "-1 题", "第3.5章 题": "", "第3卷": "", "3章": "", "目标": "", "第1章至第40章": "", "第1-40章": "", "第3章：第二章的余波": "3 第二章的余波",
	} {
		got := ""
		if n, title, ok := chapterHeading(text); ok {
			got = fmt.Sprintf("%d %s", n, title)
		}
		if got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
	for text, want := range map[string]string{
		"第一卷 风起（1-40章）": "1 风起 1 40", "第2卷：夜航": "2 夜航 0 0", "卷三 归途 第81章至第一百二十章": "3 归途 81 120", "第四卷(121~160)": "4  121 160",
		"第5卷 十年到百年": "5 十年到百年 0 0", "第6卷 （40-1章）": "6  -1 -1", "第廿卷": "-1  0 0", "第3章": "", "卷首语": "",
	} {
		got := ""
		if v, ok := volumeHeading(text); ok {
			got = fmt.Sprintf("%d %s %d %d", v.Number, v.Title, v.First, v.Last)
		}
		if got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

func TestSplitOutlineList(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text  string
		nodes bool
		want  []string
	}{
		{"甲、乙，丙;丁,戊；己", false, []string{"甲", "乙", "丙", "丁", "戊", "己"}},
		{"甲 | 问 | 乙", true, []string{"甲 | 问 | 乙"}},
		{"甲 | 问 | 乙", false, []string{"甲 | 问 | 乙"}},
		{"甲｜在当铺、渡口｜乙", true, []string{"甲｜在当铺、渡口｜乙"}},
		{"甲 | 问 | 乙、丙 | 答 | 甲", true, []string{"甲 | 问 | 乙", "丙 | 答 | 甲"}},
		{"甲 | 问 | 乙，乙不答；丙 | 走 | 门外", true, []string{"甲 | 问 | 乙，乙不答", "丙 | 走 | 门外"}},
		{"敲门、停电", true, []string{"敲门", "停电"}},
		{"「来，坐」、（一，二）；“好”", false, []string{"「来，坐」", "（一，二）", "“好”"}},
		{"「没有结尾，照样", false, []string{"「没有结尾", "照样"}},
		{"1,000 两，、 ；", false, []string{"1,000 两"}},
		{"", false, nil},
	} {
		if got := splitOutlineList(c.text, c.nodes); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}

// Nothing that cannot be read is passed over, and every fault is told with its line.
func TestParseOutlineMarkdownFaults(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"empty", "\n\n", []string{"0: there is no chapter heading"}},
		{"all at once", "前言\n### 第1章：题\n- 目标：g\n- 笑点：x\n只是一句话\n### 第2章 题\n- 阻力：r\n## 附记一则\n", []string{
			"1: this line stands before", `4: unknown label "笑点"`, "5: ", "6: chapter 第02章 has no 目标", `8: the heading "附记一则"`,
		}},
		{"after a list", "### 第1章\n目标：g\n**CPNs**：\n- a\n- 笑点：c\n", []string{`5: unknown label "笑点"`}},
		{"twice", "### 第1章\n- 目标：g\n- 目标：h\n### 第一章\n- 目标：i\n", []string{"3: 目标 is given twice", "4: chapter 第01章 is given twice; it began at line 1"}},
		{"number", "### 第10000章 题\n- 目标：g\n- 乱写\n", []string{"1: "}},
		{"volume", "# 第一卷（10-1章）\n# 第二卷（1-40章）\n# 第2卷\n# 第三卷（40-50章）\n- CBN：c\n### 第60章\n- 目标：g\n", []string{
			"1: the range of chapters of volume 1", "3: volume 2 is given twice", "4: volumes 2 and 3 both hold chapter 40", "5: this label belongs to a chapter", "6: chapter 60 stands under volume 3",
		}},
		{"table", "### 第1章\n目标：g\n\n| 目标 | g |\n", []string{"4: a table cannot be read"}},
		{"code", "### 第1章\n目标：g\n```\n乱\n```\n", []string{"3: a code block"}},
		{"comment", "### 第1章\n目标：g\n<!-- 不算\n", []string{"3: this comment is not closed"}},
		{"utf8", "### 第1章\n目标：\xff\n", []string{"2: this is not UTF-8"}},
		{"no volume number", "# 第廿卷\n随便写\n### 第1章\n目标：g\n", []string{`1: "第廿卷" has no volume number`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := ParseOutlineMarkdown("o.md", []byte(c.text), nil)
			var got []string
			for _, f := range DetailsOf(err) {
				got = append(got, fmt.Sprintf("%d: %s", f.Line, f.Msg))
				if f.File != "o.md" {
					t.Errorf("file %q", f.File)
				}
			}
			if len(got) != len(c.want) {
				t.Fatalf("got %q, want %q", got, c.want)
			}
			for i := range got {
				if !strings.HasPrefix(got[i], c.want[i]) {
					t.Errorf("got %q, want %q", got[i], c.want[i])
				}
			}
		})
	}
}

func TestParseOutlineJSON(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`[{"chapter": 3, "title": "题", "content": {"chapter_goal": "g"}}, {"chapter": "番外·雨夜", "content": {"chapter_goal": "h"}}]`,
		"```json\n" + `{"outlines": [{"chapter": "0003", "title": "题", "content": {"chapter_goal": "g"}}, {"chapter": "番外·雨夜", "content": {"chapter_goal": "h"}}],
			"volumes": [{"volume": 1, "title": "风起", "first": 1, "last": 40}]}` + "\n```",
	} {
		doc, err := ParseOutlines("o.json", []byte(text), nil)
		if err != nil {
			t.Fatalf("%v %v", err, DetailsOf(err))
		}
		if len(doc.Outlines) != 2 || doc.Outlines[0].Chapter != "0003" || doc.Outlines[1].Chapter != "番外·雨夜" || doc.Outlines[0].Content.Goal != "g" {
			t.Errorf("%+v", doc.Outlines)
		}
	}
	one, err := ParseOutlines("o.json", []byte(`{"chapter": 3, "content": {"chapter_goal": "g"}}`), nil)
	if err != nil || len(one.Outlines) != 1 {
		t.Errorf("%v %+v", err, one)
	}
	for _, c := range []struct {
		text string
		want []string
	}{
		{`[]`, []string{"the list is empty"}},
		{`[1, {"content": {"chapter_goal": "g"}}, {"chapter": 3, "content": {}}, {"chapter": "三", "content": {"chapter_goal": "g"}}, {"chapter": "0003", "content": {"chapter_goal": "g"}}]`, []string{
			"[0]: must be an object", "[1].chapter: is missing", "[2].content.chapter_goal: is missing", "[4].chapter: chapter 第03章 is given twice",
		}},
		{`[{"chapter": 3`, []string{"ends too early"}},
		{`{"outlines": {}, "volumes": [{"volume": 0}, {"first": 3}]}`, []string{"outlines: must be a list", "volumes[0].volume: must be a whole number", "volumes[1].volume: is missing"}},
	} {
		_, err := ParseOutlines("o.json", []byte(c.text), nil)
		wantFaults(t, faultTexts(t, err), c.want...)
	}
}

// FuzzParseOutlines: what is accepted is valid, has a goal in each chapter, and tears no node apart.
func FuzzParseOutlines(f *testing.F) {
	f.Add([]byte(volumeOutline))
	f.Add([]byte(`[{"chapter": 3, "content": {"chapter_goal": "g"}}]`))
	f.Add([]byte("### 第1章：题\n目标：\n- 甲 | 乙 | 丙\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		doc, err := ParseOutlines("f", data, []string{"main_heavy"})
		if err != nil {
			if CodeOf(err) != CodeInvalid || len(DetailsOf(err)) == 0 {
				t.Fatal(err)
			}
			return
		}
		for _, o := range doc.Outlines {
			if faults := o.Validate("f"); len(faults) > 0 || strings.TrimSpace(o.Content.Goal) == "" {
				t.Fatalf("%v %+v", faults, o.Outline)
			}
			for _, n := range o.Nodes() {
				if strings.TrimSpace(n.Text) == "" {
					t.Fatalf("an empty node in %+v", o.Outline)
				}
			}
			data, err := Marshal(o.Outline)
			if err != nil {
				t.Fatal(err)
			}
			if err := CheckTracked(OutlinePath("书", o.Chapter), data); err != nil {
				t.Fatal(err, string(data))
			}
		}
		all := Volumes{Volumes: doc.Volumes}
		if faults := all.Validate("f"); len(faults) > 0 {
			t.Fatal(faults)
		}
	})
}
