package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func chapters(entries []SummaryEntry) string {
	var keys []string
	for _, e := range entries {
		keys = append(keys, e.Chapter)
	}
	return strings.Join(keys, " ")
}

const seedSummaries = `{
  "book": "雨夜灯",
  "summaries": [
    {
      "chapter": "第03章",
      "summary": "沈砚回到西市当铺，用半枚铜钱换得掌柜的旧账本；账本末页夹着一张写着沈家旧宅地址的纸条，他决定连夜出城。",
      "keyEvents": [
        "沈砚以铜钱换账本",
        "账本夹页暴露沈家旧宅地址"
      ],
      "keySettings": [
        "半枚铜钱可换旧账本",
        "沈家旧宅在西市之外"
      ],
      "updatedAt": "2026-09-13T02:11:07.412Z"
    }
  ]
}`

func TestSeedSummariesFile(t *testing.T) {
	t.Parallel()
	entries, ok := ParseSummaries([]byte(seedSummaries))
	if !ok {
		t.Fatal("the seed's file is damaged")
	}
	out, err := RenderSummaries("雨夜灯", entries)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(seedSummaries, string(out)); d != "" {
		t.Error(d)
	}
}

func TestParseSummaries(t *testing.T) {
	t.Parallel()
	list := func(l ...string) *[]string { l = append([]string{}, l...); return &l }
	tests := []struct {
		row, in string
		want    []SummaryEntry
		damaged bool
	}{
		{"Y75 missing", "", nil, false},
		{"Y76 invalid", "{", nil, true},
		{"Y76 null", "null", nil, true},
		{"Y76 list", "[]", nil, true},
		{"Y76 object in place of the list", `{"summaries":{}}`, nil, true},
		{"white space only", " \n", nil, true},
		{"Y78 BOM", "\ufeff" + `{"summaries":[{"chapter":"2","summary":"s"}]}`, []SummaryEntry{{Chapter: "第02章", Summary: "s"}}, false},
		{"Y79 dirty elements", `{"summaries":[null,"x",5,{"chapter":"2","summary":"s"}]}`, []SummaryEntry{{Chapter: "第02章", Summary: "s"}}, false},
		{"Y80 array element", `{"summaries":[["第02章"],{"chapter":"2","summary":"s"}]}`, []SummaryEntry{{Chapter: "第02章", Summary: "s"}}, false},
		{"Y82, Y34 unknown keys", `{"x":1,"summaries":[{"chapter":"2","summary":"s","tags":["t"]}]}`, []SummaryEntry{{Chapter: "第02章", Summary: "s"}}, false},
		{"Y83 no summary", `{"summaries":[{"chapter":"2"}]}`, []SummaryEntry{{Chapter: "第02章"}}, false},
		{"Y84 keyEvents as a string", `{"summaries":[{"chapter":"2","summary":"s","keyEvents":"a"}]}`, []SummaryEntry{{Chapter: "第02章", Summary: "s"}}, false},
		{
			"Y67 elements become strings", `{"summaries":[{"chapter":2,"summary":"s","keyEvents":[1,true,null,[1,"b"],{},1e21,0.5],"keySettings":[]}]}`,
			[]SummaryEntry{{Chapter: "第02章", Summary: "s", KeyEvents: list("1", "true", "null", "1,b", "[object Object]", "1e+21", "0.5"), KeySettings: list()}},
			false,
		},
		{"a summary without a chapter is kept", `{"summaries":[{"summary":"s"},{}]}`, []SummaryEntry{{Summary: "s"}}, false},
		{"duplicate keys, the last counts", `{"summaries":[],"summaries":[{"chapter":"2","summary":"a","summary":"b"}]}`, []SummaryEntry{{Chapter: "第02章", Summary: "b"}}, false},
		{"half a surrogate pair", `{"summaries":[{"chapter":"2","summary":"\ud83d!"}]}`, []SummaryEntry{{Chapter: "第02章", Summary: "\uFFFD!"}}, false},
		{"old dirty key", `{"summaries":[{"chapter":"第一千零一章","summary":"s"}]}`, []SummaryEntry{{Chapter: "第1001章", Summary: "s"}}, false},
	}
	for _, tt := range tests {
		t.Run(tt.row, func(t *testing.T) {
			t.Parallel()
			got, ok := ParseSummaries([]byte(tt.in))
			if ok == tt.damaged {
				t.Errorf("damaged: %v", !ok)
			}
			if len(got) == 0 && len(tt.want) == 0 {
				return
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestSummarySlots(t *testing.T) {
	t.Parallel()
	put := func(in ...string) []SummaryEntry {
		var entries []SummaryEntry
		for _, c := range in {
			entries = PutSummary(entries, SummaryEntry{Chapter: c, Summary: c})
		}
		return entries
	}
	tests := []struct {
		row   string
		add   []string
		want  string // slots in the order of the file
		get   []string
		found bool
	}{
		{"Y38 one slot", []string{"2"}, "第02章", []string{"第02章", "第02章.md", "第二章", "第2章", "02"}, true},
		{"Y39", []string{"第０１章"}, "第01章", []string{"1"}, true},
		{"Y40", []string{"第一千零一章"}, "第1001章", []string{"1001"}, true},
		{"Y40 miss", []string{"第一千零一章"}, "第1001章", []string{"1"}, false},
		{"Y41", []string{"1", "第一千零一章"}, "第01章 第1001章", []string{"1"}, true},
		{"Y43", []string{"番外·雨夜"}, "番外·雨夜", []string{"番外·雨夜"}, true},
		{"Y44", []string{"第一万章"}, "第一万章", []string{"10000"}, false},
		{"Y45", []string{"第01章", "第10001章"}, "第01章 第10001章", []string{"1"}, true},
		{"Y46", []string{"第99999章"}, "第99999章", []string{"9999"}, false},
		{"Y50", []string{"第2回", "第2话", "第2节"}, "第02章", []string{"2"}, true},
		{"Y56", []string{"1", "第一零零一章"}, "第01章 第1001章", []string{"1001"}, true},
		{"Y57", []string{"初遇", "第01章 初遇"}, "第01章 初遇", []string{"初遇"}, true},
		{"Y58", []string{"番外·雨夜", "番外1"}, "番外1 番外·雨夜", []string{"番外1"}, true},
		{"Y93", []string{"第10章", "第02章"}, "第02章 第10章", nil, false},
		{"Y95, K1", []string{"番外·雨夜", "第1001章"}, "第1001章 番外·雨夜", nil, false},
		{"Y96 by code unit", []string{"\U00020000", "\uff21", "一"}, "一 \U00020000 \uff21", nil, false},
		{"Y97", []string{"A", "第999章"}, "第999章 A", nil, false},
		{"Y98", []string{"第10章", "3月的雨", "第02章", "3", "初遇"}, "第02章 3月的雨 第03章 第10章 初遇", []string{"3月的雨"}, true},
		{"Y54", []string{"第3.5章", "3", "5"}, "第03章 第05章 第3.5章", []string{"第3.5章"}, true},
	}
	for _, tt := range tests {
		t.Run(tt.row, func(t *testing.T) {
			t.Parallel()
			entries := put(tt.add...)
			if got := chapters(entries); got != tt.want {
				t.Errorf("slots are %q, want %q", got, tt.want)
			}
			for _, g := range tt.get {
				if _, ok := FindSummary(entries, g); ok != tt.found {
					t.Errorf("%s: found %v", g, ok)
				}
			}
		})
	}
	if got := put("番外1", "番外2"); len(got) != 2 {
		t.Errorf("two extras share a slot: %v", got)
	}
}

func TestFoldSummaries(t *testing.T) {
	t.Parallel()
	at := func(c, s, t string) SummaryEntry { return SummaryEntry{Chapter: c, Summary: s, UpdatedAt: t} }
	dup := []SummaryEntry{at("2", "new", "2026-02"), at("第02章", "old", "2026-01"), at("1", "one", ""), {Summary: "lost"}, {Summary: "lost too"}}
	got := FoldSummaries(dup)
	if d := cmp.Diff([]SummaryEntry{at("第01章", "one", ""), at("第02章", "new", "2026-02"), {Summary: "lost"}, {Summary: "lost too"}}, got); d != "" {
		t.Error(d)
	}
	if dup[0].Chapter != "2" {
		t.Error("the input was changed")
	}
	if e, ok := FindSummary(dup, "02"); !ok || e.Summary != "new" || e.Chapter != "第02章" {
		t.Errorf("Y86: get gave %v", e)
	}
	rest, ok := DeleteSummary(dup, "第二章")
	if !ok || chapters(rest) != "第01章  " {
		t.Errorf("Y86: delete left %v", rest)
	}
	if _, ok := DeleteSummary(rest, "2"); ok {
		t.Error("Y31: a second delete found something")
	}
}

func genEntry() *rapid.Generator[SummaryEntry] {
	chapter := rapid.OneOf(
		rapid.Map(rapid.IntRange(0, 30), func(n int) string { return string(NumberKey(n)) }),
		rapid.SampledFrom([]string{"番外·雨夜", "楔子", "\"引号\"", "第一万章", "A\\B"}),
	)
	list := rapid.Ptr(rapid.SliceOfN(rapid.String(), 0, 3), true)
	return rapid.Custom(func(t *rapid.T) SummaryEntry {
		e := SummaryEntry{
			Chapter: chapter.Draw(t, "chapter"), Summary: rapid.String().Draw(t, "summary"),
			KeyEvents: list.Draw(t, "events"), KeySettings: list.Draw(t, "settings"),
		}
		if rapid.Bool().Draw(t, "dated") {
			e.UpdatedAt = FormatTime(time.UnixMilli(rapid.Int64Range(0, 4e12).Draw(t, "ms")))
		}
		return e
	})
}

// SpliceSummary must give what decoding and writing everything gives, byte for byte.
func TestSpliceIsRender(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		entries := rapid.SliceOfN(genEntry(), 0, 8).Draw(t, "entries")
		file, err := RenderSummaries("书", entries)
		if err != nil {
			t.Fatal(err)
		}
		if rapid.IntRange(0, 3).Draw(t, "damage") == 0 && len(file) > 4 {
			i := rapid.IntRange(0, len(file)-1).Draw(t, "at")
			file[i] = rapid.SampledFrom([]byte("\"\\ \n,x{}[]\x01")).Draw(t, "byte")
		}
		e := genEntry().Draw(t, "entry")
		old, ok := ParseSummaries(file)
		got, err := SpliceSummary("书", file, e)
		if !ok {
			if CodeOf(err) != CodeInvalid {
				t.Fatalf("a damaged file gave %v\n%s", err, file)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		want, err := RenderSummaries("书", PutSummary(old, e))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Fatalf("splice\n%s\nrender\n%s", got, want)
		}
		if !json.Valid(got) {
			t.Fatalf("not JSON:\n%s", got)
		}
	})
}

func TestSpliceSummary(t *testing.T) {
	t.Parallel()
	if _, err := SpliceSummary("书", nil, SummaryEntry{Chapter: "#", Summary: "s"}); CodeOf(err) != CodeInvalid {
		t.Errorf("Y60: %v", err)
	}
	if _, err := SpliceSummary("书", []byte(`{"book":`), SummaryEntry{Chapter: "1", Summary: "s"}); CodeOf(err) != CodeInvalid {
		t.Errorf("Y77: %v", err)
	}
	got, err := SpliceSummary("书", nil, SummaryEntry{Chapter: "1", Summary: "<a>&b\u2028"})
	want := "{\n  \"book\": \"书\",\n  \"summaries\": [\n    {\n      \"chapter\": \"第01章\",\n      \"summary\": \"<a>&b\u2028\"\n    }\n  ]\n}"
	if err != nil || string(got) != want {
		t.Errorf("Y72: %v\n%s", err, got)
	}
	hand := strings.Replace(seedSummaries, `"updatedAt"`, `"tags": ["x"], "updatedAt"`, 1)
	got, err = SpliceSummary("雨夜灯", []byte(hand), SummaryEntry{Chapter: "4", Summary: "s"})
	if err != nil || bytes.Contains(got, []byte("tags")) || !bytes.Contains(got, []byte("沈砚回到")) {
		t.Errorf("a hand-made key: %v\n%s", err, got)
	}
	sp := splicer{data: []byte(seedSummaries), want: newSlotEntry(SummaryEntry{Chapter: "4"})}
	if !sp.scan("雨夜灯") {
		t.Error("the seed's own file takes the slow way")
	}
}

func bigSummaries(n int) []byte {
	s := Summaries{Book: "西游记"}
	events := []string{"沈砚以铜钱换账本", "账本夹页暴露沈家旧宅地址"}
	for i := 1; i <= n; i++ {
		s.Entries = append(s.Entries, SummaryEntry{
			Chapter: string(NumberKey(i)), Summary: strings.Repeat("雨夜灯下", 16) + fmt.Sprint(i), KeyEvents: &events,
			UpdatedAt: "2026-09-13T02:11:07.412Z",
		})
	}
	b, err := MarshalNoNewline(s)
	if err != nil {
		panic(err)
	}
	return b
}

func BenchmarkSpliceSummary(b *testing.B) {
	file := bigSummaries(9999)
	b.SetBytes(int64(len(file)))
	for b.Loop() {
		if _, err := SpliceSummary("西游记", file, SummaryEntry{Chapter: "5000", Summary: "新"}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParseSummaries(b *testing.B) {
	file := bigSummaries(9999)
	b.SetBytes(int64(len(file)))
	for b.Loop() {
		if _, ok := ParseSummaries(file); !ok {
			b.Fatal("damaged")
		}
	}
}

func FuzzSummaries(f *testing.F) {
	f.Add([]byte(seedSummaries), "4", "s")
	f.Add([]byte("{\n  \"book\": \"雨夜灯\",\n  \"summaries\": []\n}"), "番外", "\\\"")
	f.Add([]byte(`{"summaries":[null,{"chapter":2,"keyEvents":[1]}]}`), "2", "")
	f.Fuzz(func(t *testing.T, file []byte, chapter, summary string) {
		entries, ok := ParseSummaries(file)
		got, err := SpliceSummary("雨夜灯", file, SummaryEntry{Chapter: chapter, Summary: summary})
		if _, hasSlot := SummaryKey(chapter); !hasSlot || !ok {
			if CodeOf(err) != CodeInvalid {
				t.Fatal(err)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		want, err := RenderSummaries("雨夜灯", PutSummary(entries, SummaryEntry{Chapter: chapter, Summary: summary}))
		if err != nil || !bytes.Equal(got, want) {
			t.Fatalf("%v\n%q\n%q", err, got, want)
		}
	})
}
