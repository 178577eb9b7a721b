package review

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"git-novel/schema"
	"git-novel/workflow/memory"
	"git-novel/workflow/prose"
)

// page is prose of more than 1,500 Han characters in which no check finds anything.
func page() string {
	var b strings.Builder
	b.WriteString("# 第三章 雨夜\n\n")
	things := []string{"船篷", "石埠", "灯座", "网梭", "缆绳", "木桩", "河沙", "油布", "竹启子", "蜡盘", "瓷砖", "排笔"}
	places := []string{"江心", "堤头", "后院", "东市", "桥下", "仓门"}
	for i, a := range things {
		for j, p := range places {
			if (i+j)%2 == 0 {
				fmt.Fprintf(&b, "第%d回经过%s，他把%s挪了%d寸，又把旁边的%s数到%d，才肯往%s走。\n\n",
					i*7+j+1, p, a, i+j+2, things[(i*5+j+3)%12], i*j+9, places[(j+i+1)%6])
			}
		}
	}
	return b.String()
}

func find(r *schema.ReviewInput, word string) []schema.Issue {
	var out []schema.Issue
	for _, i := range r.Issues {
		if strings.Contains(i.Description, word) {
			out = append(out, i)
		}
	}
	return out
}

func TestCleanPage(t *testing.T) {
	t.Parallel()
	r := Mechanical(Input{Number: 3, Text: page()})
	for _, i := range r.Issues {
		if i.Blocks() || i.Category != schema.CategoryPacing {
			t.Errorf("%+v", i)
		}
	}
	if !r.Covers(schema.Categories()...) {
		t.Errorf("dimensions %v", r.Dimensions)
	}
}

func TestChecks(t *testing.T) {
	t.Parallel()
	para := "他把船摇到江心，放下橹，听了一会儿水声，又把篷上的塑料布扯下来，横在她的眼睛前面，一点一点往右移。"
	for _, c := range []struct {
		name, add string
		word      string // in the description
		blocking  bool
		severity  schema.Severity
	}{
		{"undone", "（待补充：何三的话）", "占位", true, schema.SeverityHigh},
		{"brackets", "他推开门，[待写：打斗]，走了。", "占位", true, schema.SeverityHigh},
		{"name", "来的人叫李四（暂名）。", "名字未定", true, schema.SeverityHigh},
		{"variable", "他走进{地点}。", "花括号", true, schema.SeverityHigh},
		{"todo", "TODO 这里写雨。", "待办", true, schema.SeverityHigh},
		{"here", "（此处省略一场打斗）", "此处未写", true, schema.SeverityHigh},
		{"fence", "```", "代码围栏", true, schema.SeverityHigh},
		{"conflict", "<<<<<<< HEAD", "冲突", true, schema.SeverityCritical},
		{"mirror", "## 第3段 · 2026-11-10 13:39:39", "段头", true, schema.SeverityHigh},
		{"assistant", "好的，以下是修改后的正文：", "写作助手", true, schema.SeverityHigh},
		{"other heading", "第四章 天明", "第4章", true, schema.SeverityHigh},
		{"comma", "他推开门，", "半句话", true, schema.SeverityHigh},
		{"cut", "他推开门，看见桌上放着一盏还没有熄灭的灯和一", "没有写完", true, schema.SeverityHigh},
		{"open speech", "他说：“我昨天在江边看见一条没有人的船，船上", "没有闭合的地方中断", true, schema.SeverityHigh},
		{"odd mark", "他说：“走吧。\n\n她没有动。", "没有闭合", false, schema.SeverityMedium},
		{"odd end", "他走了。”\n\n她没有动。", "没有对应", false, schema.SeverityMedium},
		{"doubled", para + "\n\n" + para, "重复", true, schema.SeverityHigh},
		{"alike", para + "\n\n" + strings.Replace(para, "塑料布", "油布", 1), "相似", false, schema.SeverityMedium},
		{"read again", "“" + para + "”\n\n“" + para + "”", "引文", false, schema.SeverityMedium},
		{"stutter", "他在江边站了很久才慢慢往回走去。他在江边站了很久才慢慢往回走去。", "两遍", false, schema.SeverityMedium},
		{"flavor", "他深吸一口气。", "套话", false, schema.SeverityLow},
		{"broken bytes", "他走\ufffd了。", "编码", true, schema.SeverityHigh},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := find(Mechanical(Input{Number: 3, Text: page() + c.add + "\n"}), c.word)
			if len(got) == 0 {
				t.Fatal("not found")
			}
			if got[0].Blocks() != c.blocking || got[0].Severity != c.severity || got[0].Evidence == "" || got[0].Location == "" {
				t.Errorf("%+v", got[0])
			}
		})
	}
}

func TestNoFalseAlarms(t *testing.T) {
	t.Parallel()
	for _, add := range []string{
		"（待我回去告诉他。）", "他心里想：待补天的人来了再说。", "诗曰：\n\n混沌未分天地乱，茫茫渺渺无人见。\n\n自从盘古破鸿蒙，开辟从兹清浊辨。",
		"“头一句还没有说完。\n\n“第二段接着说。”", "第三回他来的时候，门是开着的。", "他走了……", "——", "（本章完）", "未完待续", "且听下回分解。",
		"毕竟不知性命如何，且听下回分解", "他写下：“今收到灯簿壹册。”", "那是《天仙子》一首。", "白日依山尽\n\n黄河入海流",
	} {
		for _, i := range Mechanical(Input{Number: 3, Text: page() + add + "\n"}).Issues {
			if i.Category != schema.CategoryPacing && (i.Blocks() || i.Severity != schema.SeverityLow) && !strings.HasPrefix(add, "毕竟") {
				t.Errorf("%q: %+v", add, i)
			}
		}
	}
}

func TestLength(t *testing.T) {
	t.Parallel()
	short := strings.Repeat("江上起了雾。渡口没有人。", 1)
	for _, c := range []struct {
		text     string
		min      int
		issues   int
		blocking int
	}{
		{short, 0, 1, 1}, {short, 40, 1, 0}, {short, 10, 0, 0}, {short, -1, 0, 0}, {"", 0, 1, 1}, {" \n\n　\n", -1, 1, 1},
	} {
		r := Mechanical(Input{Text: c.text, MinChars: c.min})
		if len(r.Issues) != c.issues || r.Blocking() != c.blocking {
			t.Errorf("%q min %d: %+v", c.text, c.min, r.Issues)
		}
	}
}

func TestEarlierChapters(t *testing.T) {
	t.Parallel()
	para := "他把船摇到江心，放下橹，听了一会儿水声，又把篷上的塑料布扯下来，横在她的眼睛前面，一点一点往右移，移到墩子的位置停住。"
	earlier := []Prints{PrintsOf("第01章", "# 第一章\n\n"+para+"\n\n短句。")}
	if n := len(earlier[0].Paragraphs); n != 1 {
		t.Fatalf("%d prints", n)
	}
	r := Mechanical(Input{Number: 3, Text: page() + para + "\n", Earlier: earlier})
	if got := find(r, "第01章第1段重复"); len(got) != 1 || !got[0].Blocks() {
		t.Errorf("%+v", r.Issues)
	}
	r = Mechanical(Input{Number: 3, Text: page() + strings.Replace(para, "橹", "桨", 1) + "\n", Earlier: earlier})
	if got := find(r, "相似"); len(got) != 1 || got[0].Blocks() {
		t.Errorf("%+v", r.Issues)
	}
}

func outlined(c schema.OutlineContent) *schema.Outline {
	return &schema.Outline{Chapter: "0003", Title: "雨夜", Content: c, Exposure: schema.DefaultExposure()}
}

func TestOutline(t *testing.T) {
	t.Parallel()
	text := page() + "沈砚把刀横过来，没有说出父亲的名字。何三说出了灯的去向。\n\n船到江心，离拆灯屋只剩三天。\n\n八点半渡口关了门。\n"
	for _, c := range []struct {
		name     string
		content  schema.OutlineContent
		word     string
		found    bool
		blocking bool
	}{
		{"forbidden bars", schema.OutlineContent{Forbidden: []string{"何三 | 说出 | 灯"}}, "禁止", true, true},
		{"forbidden denied", schema.OutlineContent{Forbidden: []string{"沈砚 | 说出 | 父亲"}}, "禁止", false, false},
		{"forbidden phrase", schema.OutlineContent{Forbidden: []string{"不可写离拆灯屋"}}, "禁止", true, true},
		{"forbidden quote", schema.OutlineContent{Forbidden: []string{"不得出现「灯的去向」四字"}}, "禁止", true, true},
		{"forbidden prose", schema.OutlineContent{Forbidden: []string{"不可让主角提前知道幕后的人是谁"}}, "禁止", false, false},
		{"must cover", schema.OutlineContent{MustCover: []string{"沈砚 | 刀"}}, "章纲节点", false, false},
		{"must cover missed", schema.OutlineContent{MustCover: []string{"陈小满 | 伞"}}, "必须覆盖", true, true},
		{"cbn missed", schema.OutlineContent{CBN: "陈小满 | 伞"}, "CBN", true, true},
		{"cpn missed", schema.OutlineContent{CPNs: []string{"陈小满 | 伞"}}, "CPN", true, false},
		{"time told", schema.OutlineContent{TimePressure: "拆灯屋只剩三天"}, "时间压力", true, false},
		{"amount told", schema.OutlineContent{TimePressure: "渡口八点半落锁"}, "具体时间", true, false},
		{"countdown", schema.OutlineContent{TimePressure: "灯屋月底拆除"}, "倒计时", true, false},
		{"time elsewhere", schema.OutlineContent{TimePressure: "入学截止"}, "倒计时", false, false},
	} {
		got := find(Mechanical(Input{Number: 3, Text: text, Outline: outlined(c.content)}), c.word)
		if (len(got) > 0) != c.found {
			t.Errorf("%s: %+v", c.name, got)
			continue
		}
		if c.found && got[0].Blocks() != c.blocking {
			t.Errorf("%s: %+v", c.name, got[0])
		}
		if c.found && got[0].Category == schema.CategoryLogic && !got[0].Overridable() {
			t.Errorf("%s: a match of words must be overridable: %+v", c.name, got[0])
		}
	}
	o := outlined(schema.OutlineContent{TimePressure: "灯屋月底拆除"})
	o.Exposure = schema.ExposurePolicy{Verbatim: []string{"time_pressure_source"}}
	if got := find(Mechanical(Input{Number: 3, Text: text, Outline: o}), "倒计时"); len(got) > 0 {
		t.Errorf("a verbatim time pressure was reported: %+v", got)
	}
}

func TestDead(t *testing.T) {
	t.Parallel()
	view := memory.FromSteps(memory.Step{ID: "0001", Number: 1, Commit: &schema.Commit{Extraction: &schema.Extraction{
		Entities: []schema.EntityDelta{{Entity: "c", Name: "陈守义", Rest: map[string]any{"aliases": []any{"守义"}}}},
		States:   []schema.StateDelta{{Entity: "c", Field: "status", New: "dead"}},
	}}}).Now()
	for _, c := range []struct {
		add      string
		issues   int
		blocking bool
	}{
		{"陈守义道：“我来上灯。”", 1, true},
		{"“我来上灯。”守义说。", 1, true},
		{"陈守义推开门。", 1, false},
		{"她想起陈守义道：“我来上灯。”", 0, false},
		{"“陈守义推开门，你看见了？”她问。", 0, false},
		{"陈守义的账本摊在毡子上。", 0, false},
	} {
		got := find(Mechanical(Input{Number: 3, Text: page() + c.add + "\n", Memory: view}), "已死")
		if len(got) != c.issues || len(got) > 0 && got[0].Blocks() != c.blocking {
			t.Errorf("%q: %+v", c.add, got)
		}
	}
}

func TestFlavor(t *testing.T) {
	t.Parallel()
	f, err := ParseFlavor("ai-flavor.txt", []byte("\ufeff# 注释\n\n命运的齿轮\t删\n/他(?:终于|忽然)明白/\n"))
	if err != nil || f.Len() != 2 {
		t.Fatalf("%v %v", f, err)
	}
	text := page() + "命运的齿轮转了。命运的齿轮停了。\n\n他忽然明白了。他终于明白了。他忽然明白了。\n"
	r := RecheckMechanical(Input{Text: text, Flavor: f})
	if len(r.Issues) != 2 || r.Issues[0].Severity != schema.SeverityLow || r.Issues[1].Severity != schema.SeverityMedium || r.Blocking() != 0 {
		t.Errorf("%+v", r.Issues)
	}
	if len(r.Dimensions) != 1 || r.Dimensions[schema.CategoryAIFlavor] != 2 {
		t.Errorf("%v", r.Dimensions)
	}
	dense := RecheckMechanical(Input{Text: strings.Repeat("命运的齿轮转了。", 12), Flavor: f})
	if dense.Blocking() != 1 {
		t.Errorf("%+v", dense.Issues)
	}
	_, err = ParseFlavor("ai-flavor.txt", []byte("/(/\n/a*/\n好\n"+strings.Repeat("长", 400)))
	if schema.CodeOf(err) != schema.CodeInvalid || strings.Count(err.Error(), "ai-flavor.txt:") != 3 {
		t.Errorf("%v", err)
	}
	if DefaultFlavor().Len() < 40 {
		t.Errorf("the built-in list has %d entries", DefaultFlavor().Len())
	}
}

// TestEncode shows that the schema takes what the reviewer hands in.
func TestEncode(t *testing.T) {
	t.Parallel()
	blob := schema.HashBlob([]byte("x"))
	r := Mechanical(Input{Number: 3, Round: 2, Text: page() + "（待补充）\n他深吸一口气，"})
	r.TextBlob, r.Task, r.Run = &blob, "t-1", "r-1"
	data, err := Encode("0003", r)
	if err != nil {
		t.Fatal(err)
	}
	got, err := schema.ParseReviewInput("review.json", data, schema.ReviewWant{Chapter: "0003", Round: 2})
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Issues) != len(r.Issues) || got.Blocking() != r.Blocking() || *got.TextBlob != blob || got.Issues[0].ID != "r2-1" {
		t.Errorf("%+v", got)
	}
	re := RecheckMechanical(Input{Number: 3, Text: page() + "他深吸一口气。"})
	if data, err = Encode("0003", re); err != nil {
		t.Fatal(err)
	}
	if _, err := schema.ParseRecheckInput("recheck.json", data, schema.ReviewWant{Chapter: "0003"}); err != nil {
		t.Error(err)
	}
}

func TestReportAndMetrics(t *testing.T) {
	t.Parallel()
	r := &schema.Review{
		Book: "雨夜灯", Chapter: "0003", Round: 2, Producer: Producer, Depth: schema.DepthMechanical, Summary: "三个问题",
		Dimensions: schema.Dimensions{schema.CategorySetting: 1, schema.CategoryOther: 1, schema.CategoryAIFlavor: 1},
		Issues: []schema.Issue{
			{ID: "r2-1", Severity: schema.SeverityLow, Category: schema.CategoryOther, Description: "低", Evidence: "甲"},
			{ID: "r2-2", Severity: schema.SeverityCritical, Category: schema.CategorySetting, Description: "设定\n冲突", Evidence: "乙", Blocking: true},
			{
				ID: "r2-3", Severity: schema.SeverityMedium, Category: schema.CategoryAIFlavor, Description: "套话", Evidence: "丙", Blocking: true,
				Override: &schema.Override{Reason: "人物的口头禅", By: "作者 <a@b>"},
			},
		},
	}
	md := Report(r)
	for _, want := range []string{"第03章", "**阻断**，1 个", "1 个由人覆盖", "人物的口头禅", "作者 <a@b>", "设定 冲突", "| 设定一致性 | 1 个问题 |"} {
		if !strings.Contains(md, want) {
			t.Errorf("the report lacks %q:\n%s", want, md)
		}
	}
	if strings.Index(md, "r2-2") > strings.Index(md, "r2-1") {
		t.Error("the blocking issue does not come first")
	}
	// The numbers of reference harness 5.
	m := Metrics(r, "report.md", time.Date(2026, 5, 6, 1, 2, 3, 0, time.UTC))
	if m.OverallScore != 57 || m.DimensionScores[schema.CategorySetting] != 65 || m.DimensionScores[schema.CategoryLogic] != 100 ||
		m.BlockingCount != 1 || m.IssuesCount != 3 || m.Chapter != 3 || m.Timestamp != "2026-05-06T01:02:03" || len(m.CriticalIssues) != 1 ||
		m.Notes != "三个问题 | issues=3 | blocking=1 | categories=ai_flavor,other,setting" {
		t.Errorf("%+v", m)
	}
}

func FuzzMechanical(f *testing.F) {
	f.Add("# 第三章\n他说：“走。\n（待补充）")
	f.Add("\xff「『“（《【{{}}")
	f.Fuzz(func(t *testing.T, text string) {
		r := Mechanical(Input{Number: 3, Text: text, Outline: outlined(schema.OutlineContent{CBN: "甲 | 乙", Forbidden: []string{"丙"}, TimePressure: "三天"})})
		n := len(prose.Parse(text).Paragraphs)
		for _, i := range r.Issues {
			var p int
			if _, err := fmt.Sscanf(i.Location, "第%d段", &p); err == nil && (p < 1 || p > n) || i.Evidence == "" || i.Description == "" {
				t.Errorf("%+v of %d paragraphs", i, n)
			}
		}
	})
}

func FuzzParseFlavor(f *testing.F) {
	f.Add([]byte("好\n/坏+/\t改\n#"))
	f.Fuzz(func(_ *testing.T, data []byte) {
		if fl, err := ParseFlavor("f", data); err == nil {
			RecheckMechanical(Input{Text: string(data), Flavor: fl})
		}
	})
}

func BenchmarkPrints(b *testing.B) {
	text := page()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		PrintsOf("第01章", text)
	}
}

func BenchmarkMechanical(b *testing.B) {
	in := Input{Number: 3, Text: page(), Outline: outlined(schema.OutlineContent{CBN: "他 | 江心", MustCover: []string{"油布 | 东市"}})}
	p := PrintsOf("第01章", in.Text)
	for i := range p.Paragraphs {
		p.Paragraphs[i].Hash++
		p.Paragraphs[i].Sketch = [8]uint32{}
	}
	for range 9999 {
		in.Earlier = append(in.Earlier, p)
	}
	for b.Loop() {
		Mechanical(in)
	}
}
