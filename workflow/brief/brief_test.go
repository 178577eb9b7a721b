package brief

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"git-novel/schema"
	"git-novel/workflow/memory"
	"git-novel/workflow/prose"
)

func outline() *schema.Outline {
	return &schema.Outline{
		Chapter: "0003", Title: "证词里的空白", Note: "结尾让灯灭掉",
		Content: schema.OutlineContent{
			Goal: "沈砚找到被改过的口供", MustPayoff: []string{"刀上的缺口"}, Forbidden: []string{"不可说破是谁下的令"},
			Role: "转：假相落空", Strand: "main_heavy", TimePressure: "灯屋月底前拆除", CBN: "沈砚 | 调卷单 | 虫蛀",
			CPNs: []string{"手印 | 断"}, CEN: "陈小满 | 敲门", MustCover: []string{"手印在先"}, KeyEntities: []string{"沈砚", "何三"},
		},
		Exposure: schema.DefaultExposure(),
	}
}

func view() *memory.View {
	type m = map[string]any
	return memory.FromSteps(memory.Step{ID: "0001", Number: 1, Commit: &schema.Commit{Extraction: &schema.Extraction{
		Events: []schema.Event{
			{ID: "e1", Chapter: 1, Type: "open_loop_created", Subject: "灯簿", Payload: m{"content": "谁收走了灯簿", "urgency": "low"}},
			{ID: "e2", Chapter: 1, Type: "open_loop_created", Subject: "刀", Payload: m{"content": "刀上为什么有缺口", "urgency": "high"}},
			{ID: "e3", Chapter: 1, Type: "world_rule_revealed", Subject: "口供", Payload: m{"rule": "按了手印不能改"}},
			{ID: "e4", Chapter: 1, Type: "relationship_changed", Subject: "沈砚", Payload: m{"to": "he3", "type": "互相试探"}},
		},
		Entities: []schema.EntityDelta{{Entity: "he3", Name: "何三"}, {Entity: "shen", Name: "沈砚", Rest: m{"aliases": []any{"沈师傅"}, "is_protagonist": true}}},
		States:   []schema.StateDelta{{Entity: "陈守义", Field: "status", New: "死"}, {Entity: "shen", Field: "职业", New: "修复师"}},
	}}}).Now()
}

func input() Input {
	return Input{
		Book: "雨夜灯", Number: 3, Key: "第03章", Outline: outline(), Memory: view(), Style: "# 风格契约\n\n限知视角，只跟沈砚。", MinChars: 1500,
		Previous:  &Chapter{"第02章", "# 第二章\n\n开头一段。\n\n“洇了。”她说，“看不清。”\n"},
		Summaries: []Chapter{{"第01章", "灯簿来了。"}, {"第02章", "她去了渡口。"}},
		Settings:  []Chapter{{"人物.md", "# 人物\n\n## 沈砚\n\n修复师。\n\n## 老周\n\n舵工。\n"}},
		Patterns:  []string{"删去形容词"}, Notes: []string{"让雨先停一次"}, Genre: "悬疑：线索先于解释。", Strand: "笔墨以主线推进为主",
	}
}

func TestFiveSections(t *testing.T) {
	t.Parallel()
	b, err := Build(input())
	if err != nil {
		t.Fatal(err)
	}
	if err := Check(b.Text); err != nil {
		t.Error(err)
	}
	parts := strings.Split(b.Text, "\n## ")
	if len(parts) != 6 {
		t.Fatalf("%d parts:\n%s", len(parts), b.Text)
	}
	for i, want := range [][]string{
		{"沈砚找到被改过的口供", "刀上的缺口", "1500", "陈守义 已死", "按了手印不能改"},
		{"沈砚 | 调卷单 | 虫蛀", "手印 | 断", "陈小满 | 敲门", "手印在先"},
		{"不可说破是谁下的令", "不写期限"},
		{"让一个读者以为稳妥的判断落空", "主线推进", "限知视角", "删去形容词", "线索先于解释"},
		{"看不清。", "结尾让灯灭掉", "让雨先停一次", "刀上为什么有缺口", "沈师傅", "沈砚 与 何三：互相试探", "她去了渡口", "修复师"},
	} {
		for _, w := range want {
			if !strings.Contains(parts[i+1], w) {
				t.Errorf("section %d lacks %q:\n%s", i+1, w, parts[i+1])
			}
		}
	}
	if strings.Contains(b.Text, "舵工") {
		t.Error("a setting that concerns nobody in the chapter is in")
	}
	if strings.Index(b.Text, "刀上为什么有缺口") > strings.Index(b.Text, "谁收走了灯簿") {
		t.Error("the loops are not sorted by urgency")
	}
	if b.Tokens != Tokens(b.Text) || len(b.Dropped) > 0 || len(b.Warnings) > 0 {
		t.Errorf("%+v", b)
	}
}

// TestExposure hunts for hidden values in every place they could come from.
func TestExposure(t *testing.T) {
	t.Parallel()
	const secret = "灯屋月底前拆除"
	in := input()
	in.Outline.Title = "拆前"
	in.Outline.Content.Goal = "趁" + secret + "以前找到口供。不要惊动馆长。"
	in.Outline.Content.Forbidden = []string{"不可提灯屋，月底前拆除"} // other punctuation
	in.Outline.Note = "记得：" + secret
	in.Previous.Text = "她知道" + secret + "。\n\n雨停了。"
	in.Summaries[1].Text = "听说" + secret + "。她去了渡口。"
	in.Settings[0].Text = "## 沈砚\n\n修复师。" + secret + "。\n"
	in.Style, in.Genre = "不写"+secret, secret
	in.Patterns, in.Notes = []string{secret}, []string{"转：假相落空"}
	in.Outline.Exposure.Transform["cen"] = "只给方向：陈小满 | 敲门"
	in.Outline.Exposure.Transform["time_pressure_source"] = "别写" + secret
	b, err := Build(in)
	if err != nil {
		t.Fatal(err)
	}
	folded := prose.Fold(b.Text)
	for _, s := range []string{secret, "转：假相落空", "陈小满 | 敲门"} {
		if strings.Contains(folded, prose.Fold(s)) {
			t.Errorf("%q is told:\n%s", s, b.Text)
		}
	}
	for _, keep := range []string{"不要惊动馆长", "雨停了", "她去了渡口", "章纲另有约束（cen）"} {
		if !strings.Contains(b.Text, keep) {
			t.Errorf("%q was lost:\n%s", keep, b.Text)
		}
	}
	if len(b.Warnings) == 0 || !strings.Contains(b.Warnings[len(b.Warnings)-1].String(), "transforms") {
		t.Errorf("warnings %v", b.Warnings)
	}
	for r, h := range roleHints {
		if strings.ContainsRune(h, r) {
			t.Errorf("the hint for %c says it", r)
		}
	}
}

func TestVerbatimWins(t *testing.T) {
	t.Parallel()
	in := input()
	in.Outline.Exposure = schema.ExposurePolicy{Verbatim: []string{"time_pressure_source"}, Transform: map[string]string{"chapter_goal": "只说方向"}}
	b, err := Build(in)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.Text, in.Outline.Content.Goal) || !strings.Contains(b.Text, "只说方向") {
		t.Errorf("%s", b.Text)
	}
}

func TestMissingThings(t *testing.T) {
	t.Parallel()
	b, err := Build(Input{Book: "书", Number: 2, Key: "第02章"})
	if err != nil {
		t.Fatal(err)
	}
	if len(b.Warnings) != 3 || Check(b.Text) != nil {
		t.Errorf("%v\n%s", b.Warnings, b.Text)
	}
}

// TestBudget: the text always fits, the goal goes in before a summary does, and what is missing is accounted for.
func TestBudget(t *testing.T) {
	t.Parallel()
	full, err := Build(input())
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		in := input()
		in.Budget = rapid.IntRange(1, full.Tokens+50).Draw(t, "budget")
		for i := range rapid.IntRange(0, 20).Draw(t, "more") {
			in.Summaries = append(in.Summaries, Chapter{fmt.Sprint("第", i, "章"), strings.Repeat("前情", rapid.IntRange(0, 300).Draw(t, "len"))})
		}
		b, err := Build(in)
		if err != nil {
			if schema.CodeOf(err) != schema.CodeUsage || in.Budget > 80 {
				t.Fatalf("budget %d: %v", in.Budget, err)
			}
			return
		}
		if Tokens(b.Text) > in.Budget || b.Tokens != Tokens(b.Text) {
			t.Fatalf("%d tokens of %d", Tokens(b.Text), in.Budget)
		}
		for _, title := range Titles() {
			if sectionAt(b.Text, title) < 0 {
				t.Fatalf("section %s is missing", title)
			}
		}
		lost := 0
		for _, d := range b.Dropped {
			lost += d.Tokens
		}
		if in.Budget < full.Tokens-60 && lost == 0 {
			t.Fatalf("budget %d of %d and nothing dropped", in.Budget, full.Tokens)
		}
		if strings.Contains(b.Text, "她去了渡口") && !strings.Contains(b.Text, in.Outline.Content.Goal) {
			t.Fatal("a summary went in before the goal")
		}
	})
}

func TestTokens(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]int{"": 0, "a": 1, "abcd": 1, "abcde": 2, "雨夜": 2, "雨a": 2, "，。": 2, "“x”": 1, "⺀": 1, "⹿": 1, "⹿⹿⹿⹿⹿": 2} {
		if got := Tokens(s); got != want {
			t.Errorf("Tokens(%q) = %d", s, got)
		}
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	good := "一、本章硬性约束\n- 目标\n二、CBN/CPNs/CEN\n无\n三、本章禁区\n四、风格指引\n五、动态上下文补充参考\n"
	if err := Check(good); err != nil {
		t.Error(err)
	}
	for name, bad := range map[string]string{
		"nothing": "", "prose": "context-agent 会输出任务书", "missing": strings.Replace(good, "本章禁区", "禁区", 1),
		"order": "## 本章禁区\n## 本章硬性约束\n- 目标\n## CBN/CPNs/CEN\n## 风格指引\n## 动态上下文补充参考\n",
		"empty": "## 本章硬性约束\n（无）\n## CBN/CPNs/CEN\n## 本章禁区\n## 风格指引\n- x\n## 动态上下文补充参考\n",
	} {
		if err := Check(bad); schema.CodeOf(err) != schema.CodeInvalid || err == nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzCheck(f *testing.F) {
	f.Add("## 1. 本章硬性约束\n- x\n## 2. CBN/CPNs/CEN\n## 3. 本章禁区\n## 4. 风格指引\n## 5. 动态上下文补充参考")
	f.Fuzz(func(_ *testing.T, s string) { _ = Check(s) })
}
