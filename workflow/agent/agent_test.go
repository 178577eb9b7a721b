package agent

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"git-novel/schema"
	"git-novel/workflow/brief"
	"git-novel/workflow/memory"
)

const text = `# 第三章 空白

沈砚把卷宗抽出来，翻到第四十二页，台灯放倒，看见那三个字被人刮掉过。刮痕的正中间留着一根极细的棱，是刀上的缺口留下来的。

“他说的是看不见。”沈师傅说。何三没有答话，只把梭子插进网眼里，两只手搁在膝盖上，手上的皮像泡过又晒过的绳子。

***

父亲举起左手，拉了一下灯绳，灯灭了，江堤和栏杆都没有了，只剩下雨声从黑里一直压过来，压到桌沿上。

楼梯上响起了脚步，一层一层地上来，到五楼停了，有人在外面抖伞，抖了三下，然后用指节叩门。
`

func outline() *schema.Outline {
	return &schema.Outline{Chapter: "0003", Title: "空白", Content: schema.OutlineContent{
		Goal: "找到口供", CBN: "沈砚 | 卷宗 | 四十二页", CPNs: []string{"刮痕 | 棱", "陈小满 | 鳝鱼"}, CEN: "脚步 | 叩门",
		MustCover: []string{"沈怀远 | 灯绳"}, MustPayoff: []string{"刀上的缺口", "断桥"}, KeyEntities: []string{"沈砚", "沈怀远（父亲）", "何三"},
		Strand: "main_heavy",
	}, Exposure: schema.DefaultExposure()}
}

func known() []Entity {
	return EntitiesOf([]SettingsFile{{"人物.md", "# 人物\n\n## 沈砚\n\n别名：沈师傅、沈姐\n\n## 沈怀远\n别名：父亲\n"}})
}

func loops() *memory.View {
	type m = map[string]any
	return memory.FromSteps(memory.Step{ID: "0001", Number: 1, Commit: &schema.Commit{Extraction: &schema.Extraction{
		Events: []schema.Event{
			{ID: "e1", Chapter: 1, Type: "open_loop_created", Subject: "刀", Payload: m{"loop_id": "knife", "content": "刀上的缺口"}},
			{ID: "e2", Chapter: 1, Type: "promise_created", Subject: "桥", Payload: m{"content": "断桥"}},
		},
		Entities: []schema.EntityDelta{{Entity: "e-he", Name: "何三", Type: "角色"}},
	}}}).Now()
}

func TestData(t *testing.T) {
	t.Parallel()
	d := Data(DataInput{Number: 3, Text: text, Outline: outline(), Memory: loops(), Known: known()})
	node := func(typ, s string) schema.Node { return schema.Node{Type: typ, Text: s} }
	want := &schema.Fulfillment{
		Planned: outline().Nodes(), Extra: []schema.Node{}, Missed: []schema.Node{node(schema.NodeCPN, "陈小满 | 鳝鱼")},
		Covered: []schema.Node{
			node(schema.NodeCBN, "沈砚 | 卷宗 | 四十二页"), node(schema.NodeCPN, "刮痕 | 棱"), node(schema.NodeCEN, "脚步 | 叩门"),
			node(schema.NodeMustCover, "沈怀远 | 灯绳"),
		},
	}
	if diff := cmp.Diff(want, d.Fulfillment); diff != "" {
		t.Error(diff)
	}
	if len(d.Disambiguation.Pending) != 0 {
		t.Errorf("pending %v", d.Disambiguation.Pending)
	}
	x := d.Extraction
	var ids, created []string
	for _, a := range x.Appeared {
		ids = append(ids, fmt.Sprintf("%v×%v", a["id"], a["count"]))
	}
	for _, e := range x.Entities {
		created = append(created, e.Entity)
	}
	if !slices.Equal(ids, []string{"e-he×1", "沈砚×2", "沈怀远×1"}) || !slices.Equal(created, []string{"沈砚", "沈怀远"}) {
		t.Errorf("appeared %v, created %v", ids, created)
	}
	if len(x.Events) != 1 || x.Events[0].Type != "open_loop_closed" || x.Events[0].Payload["loop_id"] != "knife" {
		t.Errorf("events %+v", x.Events)
	}
	if !cmp.Equal(x.ChapterMeta["payoffs_missing"], []any{"断桥"}) || x.Strand != "main_heavy" || len(x.Scenes) != 2 {
		t.Errorf("%+v scenes %+v", x.ChapterMeta, x.Scenes)
	}
	// What it closes is closed: the event speaks the memory's language.
	f := memory.FromSteps(
		memory.Step{ID: "0001", Number: 1, Commit: &schema.Commit{Extraction: &schema.Extraction{Events: []schema.Event{
			{ID: "e1", Chapter: 1, Type: "open_loop_created", Subject: "刀", Payload: map[string]any{"loop_id": "knife", "content": "刀上的缺口"}},
		}}}},
		memory.Step{ID: "0003", Number: 3, Commit: &schema.Commit{Extraction: x}},
	)
	if l := f.Now().Loops(""); len(l) != 0 || len(f.Warnings()) != 0 {
		t.Errorf("%+v %+v", l, f.Warnings())
	}
}

// TestArtifactsParse: the schema takes what the data agent writes, for any text.
func TestArtifactsParse(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SampledFrom([]string{"沈砚", "沈师傅", "老周", "拉灭了灯", "。", "，", "\n", "“走吧。”", "***\n", "第三章 空白\n", "父亲", "江上的雾很大"})
		s := strings.Join(rapid.SliceOfN(words, 0, 60).Draw(t, "text"), "")
		k := append(known(), Entity{ID: "a", Name: "周一", Aliases: []string{"老周"}}, Entity{ID: "b", Name: "周二", Aliases: []string{"老周"}})
		d := Data(DataInput{Number: 3, Text: s, Outline: outline(), Memory: loops(), Known: k})
		files, err := d.Files()
		if err != nil {
			t.Fatal(err)
		}
		f, err := schema.ParseFulfillment("f", files[FileFulfillment], 3)
		if err != nil || len(f.Planned) != len(f.Covered)+len(f.Missed) {
			t.Fatalf("%v %+v", err, f)
		}
		p, err := schema.ParseDisambiguation("d", files[FileDisambiguation], 3)
		if err != nil || (len(p.Pending) > 0) != strings.Contains(s, "老周") {
			t.Fatalf("%v %+v", err, p)
		}
		x, err := schema.ParseExtraction("x", files[FileExtraction], 3)
		if err != nil {
			t.Fatal(err)
		}
		if n := len([]rune(x.SummaryText)); n > 310 {
			t.Fatalf("summary of %d", n)
		}
		again, _ := Data(DataInput{Number: 3, Text: s, Outline: outline(), Memory: loops(), Known: k}).Files()
		if !cmp.Equal(files, again) {
			t.Fatal("two runs differ")
		}
	})
}

func TestPending(t *testing.T) {
	t.Parallel()
	two := []Entity{{ID: "a", Name: "周一", Aliases: []string{"老周"}}, {ID: "b", Name: "周二", Aliases: []string{"老周"}}}
	for text, want := range map[string]int{
		"老周骂了一声。": 1, "周一走进来。老周骂了一声。": 0, "周一和周二走进来。老周骂了一声。": 1, "没有人。": 0,
	} {
		d := Data(DataInput{Text: text, Known: two})
		if len(d.Disambiguation.Pending) != want {
			t.Errorf("%q: %v", text, d.Disambiguation.Pending)
		}
	}
}

// TestSummaryIsExtractive: every sentence of a summary stands in the text.
func TestSummaryIsExtractive(t *testing.T) {
	t.Parallel()
	s := Data(DataInput{Text: text, Outline: outline(), Known: known()}).Extraction.SummaryText
	if n := len([]rune(s)); n < summaryLeast || n > summaryMost {
		t.Errorf("%d: %s", n, s)
	}
	for part := range strings.SplitSeq(strings.TrimSuffix(s, "。"), "。") {
		if !strings.Contains(text, strings.TrimSuffix(part, "…")) {
			t.Errorf("%q is not in the text", part)
		}
	}
}

func TestEntitiesOf(t *testing.T) {
	t.Parallel()
	got := EntitiesOf([]SettingsFile{
		{"世界观.md", "## 临津县\n"},
		{"人物.md", "# 人物\n## 沈砚（主角）\n又名：沈师傅、“沈姐”。\n- **何三**：老船工，别名：何三叔\n- **说明：**\n### 这是一句不像名字的很长很长很长的标题\n"},
		{"地点.md", "## 柳津渡\n"},
	})
	want := []Entity{
		{ID: "沈砚", Name: "沈砚", Type: "角色", Aliases: []string{"沈师傅", "沈姐"}},
		{ID: "何三", Name: "何三", Type: "角色", Aliases: []string{"何三叔"}},
		{ID: "柳津渡", Name: "柳津渡", Type: "地点"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestParseSegments(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in   string
		n    int
		want []int
	}{
		{"1,3-5", 5, []int{1, 3, 4, 5}},
		{" 2 ， 1 ", 2, []int{2, 1}},
		{"1-2,7,4-6", 7, []int{1, 2, 7, 4, 5, 6}},
		{"3", 3, []int{3}},
		{"1-1", 1, []int{1}},
		{"", 3, nil},
		{"0", 3, nil},
		{"4", 3, nil},
		{"2-1", 3, nil},
		{"1,1", 3, nil},
		{"1-2-3", 3, nil},
		{"a", 3, nil},
		{"-1", 3, nil},
		{"1,", 3, nil},
		{"99999999999999999999", 3, nil},
	} {
		got, err := ParseSegments(c.in, c.n)
		if !slices.Equal(got, c.want) || (err != nil) != (c.want == nil) || err != nil && schema.CodeOf(err) != schema.CodeUsage {
			t.Errorf("ParseSegments(%q, %d) = %v, %v", c.in, c.n, got, err)
		}
	}
	if _, err := ParseSegments("9,x,2-1", 3); err == nil || strings.Count(err.Error(), "--segments") != 3 {
		t.Errorf("not all faults at once: %v", err)
	}
}

func TestWrite(t *testing.T) {
	t.Parallel()
	a := "他把船摇到江心，放下橹，听了一会儿水声。"
	b := "她蹲下去，腿开始发麻，布边上忽然一亮，白房子又出来了。"
	a2 := "他把船摇到江心，放下橹，没有说话，听了一会儿水声。"
	for _, c := range []struct {
		name string
		in   WriteInput
		want string
		code schema.Code
	}{
		{"text", WriteInput{Text: "  正文\n", Segments: []string{a}}, "  正文\n", ""},
		{"join", WriteInput{Segments: []string{a, b + "\n"}}, a + "\n\n" + b + "\n", ""},
		{"similar", WriteInput{Segments: []string{a, b, a2}}, "", schema.CodeRule},
		{"chosen", WriteInput{Segments: []string{a, b, a2}, Choice: "3,2"}, a2 + "\n\n" + b + "\n", ""},
		{"nothing", WriteInput{Text: " \n"}, "", schema.CodeUsage},
		{"blank", WriteInput{Segments: []string{" "}}, "", schema.CodeUsage},
		{"bad choice", WriteInput{Segments: []string{a}, Choice: "2"}, "", schema.CodeUsage},
	} {
		got, err := Write(c.in)
		if got != c.want || err == nil && c.code != "" || err != nil && schema.CodeOf(err) != c.code {
			t.Errorf("%s: %q %v", c.name, got, err)
		}
		if c.name == "similar" && !strings.Contains(err.Error(), "segments 1 and 3") {
			t.Errorf("%v", err)
		}
	}
}

func TestSimilarSegments(t *testing.T) {
	t.Parallel()
	long := "他把船摇到江心，放下橹，听了一会儿水声，又把篷上的塑料布扯下来，横在她的眼睛前面，一点一点往右移。"
	for name, c := range map[string]struct {
		segs []string
		want int
	}{
		"same":        {[]string{long, long}, 1},
		"reworded":    {[]string{long, "他把船摇到了江心，搁下橹，听一会儿水声，把篷上的塑料布扯下来横在她眼前，一点一点往右移。"}, 1},
		"other":       {[]string{long, "江堤上钉木桩的声音停了，又响起来，她把纸展开，用拇指按住纸角。"}, 0},
		"short":       {[]string{"他笑了。", "他笑了。"}, 0},
		"quoted":      {[]string{"他把船摇到江心，放下橹。", strings.Repeat("江堤上晾着渔网，网眼里都是小水珠，灯屋立在堤头。", 1) + "他把船摇到江心，放下橹。" + "后来的事没有人再提起，石埠上的缆绳一年换一根，换到第七年就不换了。"}, 0},
		"three alike": {[]string{long, long + "完。", long + "了。"}, 3},
	} {
		if got := SimilarSegments(c.segs); len(got) != c.want {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if got := suggestion(5, []Pair{{A: 2, B: 4}}); got != "1,4,3,5" {
		t.Errorf("suggestion %q", got)
	}
	if got := suggestion(4, []Pair{{A: 1, B: 2}, {A: 1, B: 3}, {A: 2, B: 3}}); got != "3-4" {
		t.Errorf("suggestion %q", got)
	}
}

func TestBuiltins(t *testing.T) {
	t.Parallel()
	blob := schema.HashBlob([]byte(text))
	task := func(k schema.TaskKind) schema.Task {
		return schema.Task{
			Schema: schema.SchemaTask, ID: schema.TaskID(k, "雨夜灯", "0003", blob, 2, ""), Kind: k, Book: "雨夜灯", Chapter: "0003",
			Blob: blob, Round: 2,
		}
	}
	runs := map[string]schema.TaskKind{}
	for _, k := range schema.TaskKinds() {
		r, err := Builtin(BuiltinPrefix + string(k.Role()))
		if err != nil {
			t.Fatal(err)
		}
		job := Job{
			Task: task(k), Text: text, Context: &brief.Input{Book: "雨夜灯", Number: 3, Key: "第03章", Outline: outline()},
			Write: &WriteInput{Text: text}, Data: &DataInput{Number: 3, Outline: outline()},
		}
		res, err := r.Run(t.Context(), job)
		if err != nil {
			t.Fatalf("%s: %v", k, err)
		}
		if other, ok := runs[res.Run]; ok {
			t.Errorf("%s and %s have the run id %s", k, other, res.Run)
		}
		runs[res.Run] = k
		if res.Producer != "builtin:"+string(k.Role()) || res.Depth != schema.DepthMechanical || len(res.Files) == 0 {
			t.Errorf("%s: %+v", k, res)
		}
		switch k {
		case schema.TaskReview:
			in, err := schema.ParseReviewInput("r", res.Files[FileReview], schema.ReviewWant{Chapter: "0003", Round: 2})
			if err != nil || in.Run != res.Run || *in.TextBlob != blob {
				t.Errorf("%v %+v", err, in)
			}
		case schema.TaskRecheck:
			if in, err := schema.ParseRecheckInput("r", res.Files[FileRecheck], schema.ReviewWant{Chapter: "0003"}); err != nil || in.Task != job.Task.ID {
				t.Errorf("%v %+v", err, in)
			}
		case schema.TaskPolish, schema.TaskWrite:
			if string(res.Files[FileText]) != text {
				t.Errorf("%s changed the text", k)
			}
		case schema.TaskContext:
			if err := brief.Check(string(res.Files[FileTaskBook])); err != nil {
				t.Error(err)
			}
		case schema.TaskData:
			if len(res.Files) != 3 {
				t.Errorf("%v", res.Files)
			}
		}
	}
	r, _ := Builtin("writer")
	if _, err := r.Run(t.Context(), Job{Task: task(schema.TaskData)}); schema.CodeOf(err) != schema.CodeUsage {
		t.Errorf("a task of another role: %v", err)
	}
	if _, err := r.Run(t.Context(), Job{Task: task(schema.TaskWrite)}); err == nil {
		t.Error("a task without its input was answered")
	}
	done, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.Run(done, Job{Task: task(schema.TaskWrite)}); schema.CodeOf(err) != schema.CodeInterrupted {
		t.Errorf("%v", err)
	}
	if _, err := Builtin("critic"); schema.CodeOf(err) != schema.CodeNotFound {
		t.Errorf("%v", err)
	}
}

func FuzzParseSegments(f *testing.F) {
	f.Add("1,3-5", 9)
	f.Fuzz(func(t *testing.T, s string, n int) {
		got, err := ParseSegments(s, min(max(n, 0), 500))
		for _, i := range got {
			if i < 1 || i > n {
				t.Errorf("%d of %d", i, n)
			}
		}
		if err == nil && len(got) == 0 {
			t.Error("an empty choice")
		}
	})
}
