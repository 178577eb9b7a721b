package state

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"git-novel/schema"
)

// TestStatusFileMatchesMarshal changes a state.json line by line and compares with what schema writes from scratch.
func TestStatusFileMatchesMarshal(t *testing.T) {
	t.Parallel()
	ids := []string{"0000", "0001", "0002", "0009", "0010", "0120", "9999", "楔子", "番外·雨夜", "附录 甲", "Extra"}
	rapid.Check(t, func(t *rapid.T) {
		s := schema.BookState{Book: "雨夜灯", Progress: schema.Progress{ChapterStatus: map[string]schema.State{}}}
		if rapid.Bool().Draw(t, "order") {
			s.Order = map[string]schema.Place{"楔子": {After: "0000"}}
		}
		word := rapid.SampledFrom(schema.States()[1:])
		for _, id := range rapid.SliceOfNDistinct(rapid.SampledFrom(ids), 1, 6, rapid.ID).Draw(t, "have") {
			s.Progress.ChapterStatus[id] = word.Draw(t, "word")
		}
		s.Progress.CurrentChapter = rapid.IntRange(0, 3).Draw(t, "current")
		write := func() []byte {
			data, err := schema.Marshal(&s)
			if err != nil {
				t.Fatal(err)
			}
			return data
		}
		f := newStatusFile(write(), s.Progress.CurrentChapter)
		if f.first == 0 {
			t.Fatal("our own form was not recognised")
		}
		for range 4 {
			words := map[string]schema.State{}
			for _, id := range rapid.SliceOfNDistinct(rapid.SampledFrom(ids), 1, 2, rapid.ID).Draw(t, "change") {
				words[id] = rapid.SampledFrom(schema.States()).Draw(t, "to")
				if words[id] == schema.StateNone {
					delete(s.Progress.ChapterStatus, id)
				} else {
					s.Progress.ChapterStatus[id] = words[id]
				}
			}
			s.Progress.CurrentChapter = rapid.IntRange(0, 10000).Draw(t, "now current")
			next, ok := f.with(words, s.Progress.CurrentChapter)
			if !ok {
				// Only an empty object, which has another form, cannot be made line by line, in whatever order it is tried.
				if len(s.Progress.ChapterStatus) > 2 {
					t.Fatalf("could not make %v", words)
				}
				return
			}
			if want := write(); string(next.raw) != string(want) {
				t.Fatalf("got\n%s\nwant\n%s", next.raw, want)
			}
			if again := newStatusFile(next.raw, next.current); again.first != next.first || again.last != next.last {
				t.Fatalf("the offsets drift: %d-%d, really %d-%d", next.first, next.last, again.first, again.last)
			}
			f = next
		}
	})
}

func TestHasSummary(t *testing.T) {
	t.Parallel()
	own := func(entries ...schema.SummaryEntry) string {
		data, err := schema.Marshal(&schema.Summaries{Book: "雨夜灯", Entries: entries})
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	tests := []struct {
		name, file string
		want       bool
	}{
		{"own form", own(schema.SummaryEntry{Chapter: "第03章", Summary: "他没有回头。"}), true},
		{"own form, quoted", own(schema.SummaryEntry{Chapter: "第03章", Summary: "“走。”"}), true},
		{"another chapter", own(schema.SummaryEntry{Chapter: "第04章", Summary: "第03章"}), false},
		{"blank", own(schema.SummaryEntry{Chapter: "第03章", Summary: "　 \n"}), false},
		{"named inside a summary", own(schema.SummaryEntry{Chapter: "第04章", Summary: "\n      \"chapter\": \"第03章\",\n      \"summary\": \"x"}), false},
		{"another form", `{"summaries":[{"summary":"雨","chapter":"3"}]}`, true},
		{"damaged", `{"summaries":[`, false},
		{"empty", ``, false},
	}
	for _, tt := range tests {
		if got := hasSummary("s.json", []byte(tt.file), schema.NumberKey(3)); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

func TestBodyAndTypos(t *testing.T) {
	t.Parallel()
	three := schema.NumberKey(3)
	bodies := []struct {
		key        schema.ChapterKey
		text, want string
	}{
		{three, "# 第03章 雨夜\n\n正文。\n", "\n正文。\n"},
		{three, "\ufeff\n第三章 雨夜\r\n正文。", "正文。"},
		{three, "# 第04章 雨夜\n正文。", "# 第04章 雨夜\n正文。"},
		{three, "正文。\n# 第03章\n", "正文。\n# 第03章\n"},
		{"番外·雨夜", "# 番外·雨夜 上\n正文。", "正文。"},
		{three, "", ""},
	}
	for _, tt := range bodies {
		if got := Body(tt.key, tt.text); got != tt.want {
			t.Errorf("%q: %q", tt.text, got)
		}
	}
	base := "# 第03章 雨夜\n\n他没有回头。\n雨打在灯上。\n"
	typos := []struct {
		now   string
		total int
	}{
		{base, 0},
		{"\ufeff# 第03章 夜雨初歇\r\n\r\n他没有回头。  \r\n雨打在灯上。\u3000", 0},
		{"# 第03章 雨夜\n\n他没有回头。\n\n\n雨打在\n灯上。", 0},
		{"# 第03章 雨夜\n\n他没有转头。\n雨打在灯上。\n", 2},
		{"# 第03章 雨夜\n\n他没有回头𠮷。\n雨打在灯上。\n", 2},
	}
	for _, tt := range typos {
		if got := CountTypo(three, base, tt.now, lcsEdits); !got.Known || got.Total() != tt.total {
			t.Errorf("%q: %+v", tt.now, got)
		}
	}
}

func TestNodes(t *testing.T) {
	t.Parallel()
	outline := &schema.Outline{Content: schema.OutlineContent{
		Goal: "g", CBN: "停电", CPNs: []string{"敲门"}, CEN: "灯亮", MustCover: []string{"证词缺一页"},
	}}
	covered := []schema.Node{{Type: schema.NodeCBN, Text: "整栋楼停电"}, {Text: "证词缺一页"}}
	tests := []struct {
		name    string
		outline *schema.Outline
		f       schema.Fulfillment
		waived  []schema.Waiver
		rules   []string
	}{
		{"nothing planned", nil, schema.Fulfillment{}, nil, nil},
		{"all covered", outline, schema.Fulfillment{Covered: covered}, nil, nil},
		{"silence about CBN and must-cover", outline, schema.Fulfillment{}, nil, []string{"node-missed"}},
		{"planned and forgotten", nil, schema.Fulfillment{Planned: []schema.Node{{Text: "敲门"}}}, nil, []string{"node-missed"}},
		{"planned, forgotten and waived", nil, schema.Fulfillment{Planned: []schema.Node{{Text: "敲门"}}}, []schema.Waiver{{Node: "敲门", Reason: "R"}}, nil},
		{"missed and waived", outline, schema.Fulfillment{Covered: covered, Missed: []schema.Node{{Text: "敲门"}}}, []schema.Waiver{{Node: " 敲门", Reason: "R"}}, nil},
		{"missed and not waived", outline, schema.Fulfillment{Covered: covered, Missed: []schema.Node{{Text: "敲门"}}}, nil, []string{"node-missed"}},
		{"waived without a reason", outline, schema.Fulfillment{Covered: covered, Missed: []schema.Node{{Text: "敲门"}}}, []schema.Waiver{{Node: "敲门", Reason: " "}}, []string{"node-missed", "waiver-reason"}},
		{"the outline's CBN as a bare string", outline, schema.Fulfillment{Covered: covered[1:], Missed: []schema.Node{{Text: "停电"}}}, []schema.Waiver{{Node: "停电", Reason: "R"}}, []string{"node-missed"}},
		{"the outline's CBN under a milder type", outline, schema.Fulfillment{Covered: covered[1:], Missed: []schema.Node{{Type: schema.NodeCPN, Text: "停电"}}}, []schema.Waiver{{Node: "停电", Reason: "R"}}, []string{"node-missed"}},
		{"must-cover missed", nil, schema.Fulfillment{Missed: []schema.Node{{Type: schema.NodeMustCover, Text: "x"}}}, []schema.Waiver{{Node: "x", Reason: "R"}}, []string{"node-missed"}},
		{"a waiver of nothing", nil, schema.Fulfillment{}, []schema.Waiver{{Node: "x", Reason: "R"}}, []string{"waiver-unknown"}},
	}
	for _, tt := range tests {
		if got := rulesOf(nodeFaults(tt.outline, &tt.f, tt.waived)); !slices.Equal(got, tt.rules) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.rules)
		}
	}
}

func TestRulesOnlyTighten(t *testing.T) {
	t.Parallel()
	cfg := schema.DefaultConfig()
	cfg.Review.Dimensions = []schema.Category{schema.CategoryPacing}
	cfg.Review.PolishLimit = 60
	loose := RulesOf(cfg, false)
	if loose.PolishLimit != schema.MaxPolishLimit || !loose.Dimensions.Has(DefaultRules().Dimensions) || loose.RequireAgent {
		t.Errorf("%+v", loose)
	}
	cfg.Review.PolishLimit = 5
	tight := RulesOf(cfg, true)
	if tight.PolishLimit != 5 || !tight.Dimensions.Covers(schema.CategoryPacing) || !tight.RequireAgent || tight.Dimensions.Len() != 6 {
		t.Errorf("%+v", tight)
	}
	if j := DefaultRules().Stricter(tight); j != tight || tight.Stricter(DefaultRules()) != tight {
		t.Errorf("join %+v", j)
	}
	if !DefaultRules().WithinPolish(Counted(3, 0), 20) || DefaultRules().WithinPolish(Counted(4, 0), 20) || DefaultRules().WithinPolish(Edits{}, 20) {
		t.Error("15 % of 20 characters are 3")
	}
	if got := NewDims("setting", "nonsense").List(); !slices.Equal(got, []schema.Category{schema.CategorySetting}) {
		t.Errorf("%v", got)
	}
}
