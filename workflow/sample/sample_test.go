package sample_test

import (
	"fmt"
	"strings"
	"testing"

	"git-novel/schema"
	"git-novel/workflow/agent"
	"git-novel/workflow/brief"
	"git-novel/workflow/memory"
	"git-novel/workflow/prose"
	"git-novel/workflow/review"
	"git-novel/workflow/sample"
)

func outline(t *testing.T, c sample.Chapter) *schema.Outline {
	t.Helper()
	o, err := schema.ParseOutline("outline.json", c.Outline, fmt.Sprintf("%04d", c.Number))
	if err != nil {
		t.Fatalf("chapter %d: %v", c.Number, err)
	}
	if o.Title != c.Title {
		t.Errorf("chapter %d: title %q, outline %q", c.Number, c.Title, o.Title)
	}
	return o
}

func settings(s sample.Sample) []agent.SettingsFile {
	var out []agent.SettingsFile
	for name, text := range s.Settings {
		out = append(out, agent.SettingsFile{Name: name, Text: text})
	}
	return out
}

// TestWholeBook takes the three chapters through reviewer, data agent and task book, as `demo` does.
func TestWholeBook(t *testing.T) {
	t.Parallel()
	s := sample.Book()
	if len(s.Chapters) != 3 || len(s.Settings) != 3 || s.Settings["风格契约.md"] == "" {
		t.Fatalf("%d chapters, settings %d", len(s.Chapters), len(s.Settings))
	}
	known := agent.EntitiesOf(settings(s))
	fold := memory.New()
	var earlier []review.Prints
	for _, c := range s.Chapters {
		o := outline(t, c)
		if n := prose.Han(c.Text); n < 1700 || n > 2100 {
			t.Errorf("chapter %d has %d Han characters", c.Number, n)
		}
		view := fold.At(c.Number - 1)
		in := review.Input{Number: c.Number, Round: 1, Text: c.Text, Outline: o, Memory: view, Earlier: earlier}
		for _, i := range review.Mechanical(in).Issues {
			t.Errorf("chapter %d: %s %s %s: %s | %s", c.Number, i.Severity, i.Category, i.Location, i.Description, i.Evidence)
		}
		d := agent.Data(agent.DataInput{Number: c.Number, Text: c.Text, Outline: o, Memory: view, Known: known})
		if len(d.Fulfillment.Missed) > 0 || len(d.Disambiguation.Pending) > 0 {
			t.Errorf("chapter %d: missed %v, pending %v", c.Number, d.Fulfillment.Missed, d.Disambiguation.Pending)
		}
		if len(d.Extraction.Appeared) < 4 {
			t.Errorf("chapter %d: appeared %v", c.Number, d.Extraction.Appeared)
		}
		if n := len([]rune(d.Extraction.SummaryText)); n < 120 || n > 300 {
			t.Errorf("chapter %d: summary of %d: %s", c.Number, n, d.Extraction.SummaryText)
		}
		book, err := brief.Build(brief.Input{Book: s.Name, Number: c.Number, Key: "第0" + fmt.Sprint(c.Number) + "章", Outline: o, Memory: view})
		if err != nil || brief.Check(book.Text) != nil || strings.Contains(book.Text, o.Content.TimePressure) {
			t.Errorf("chapter %d: task book %v %v", c.Number, err, book)
		}
		fold.Put(memory.Step{ID: o.Chapter, Number: c.Number, Commit: &schema.Commit{Extraction: d.Extraction}})
		earlier = append(earlier, review.PrintsOf(o.Chapter, c.Text))
	}
	e, ok := fold.Now().Entity("沈师傅")
	if !ok || e.Name != "沈砚" || e.First != 1 || e.Last != 3 {
		t.Errorf("memory of 沈砚: %+v", e)
	}
}

func TestBrokenChapterBlocks(t *testing.T) {
	t.Parallel()
	c := sample.Book().Chapters[1]
	r := review.Mechanical(review.Input{Number: 2, Text: c.Broken, Outline: outline(t, c)})
	want := map[string]bool{"占位": false, "重复": false}
	for _, i := range r.Issues {
		for w := range want {
			want[w] = want[w] || i.Blocks() && strings.Contains(i.Description, w)
		}
	}
	if !want["占位"] || !want["重复"] {
		t.Errorf("issues %+v", r.Issues)
	}
}

func TestSegmentsMakeTheChapter(t *testing.T) {
	t.Parallel()
	c := sample.Book().Chapters[2]
	if n := len(c.Segments); n < 8 || n > 12 {
		t.Fatalf("%d segments", n)
	}
	text, err := agent.Write(agent.WriteInput{Segments: c.Segments})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(c.Text, text) {
		t.Error("the finished chapter shows no polish")
	}
	same := 0
	final := prose.Parse(c.Text)
	lines := map[string]bool{}
	for _, p := range final.Paragraphs {
		lines[p.Text] = true
	}
	draft := prose.Parse(text).Paragraphs
	for _, p := range draft {
		if lines[p.Text] {
			same++
		}
	}
	if len(draft) != len(final.Paragraphs) || same < len(draft)-6 || same == len(draft) {
		t.Errorf("%d of %d draft paragraphs stand in the chapter, which has %d", same, len(draft), len(final.Paragraphs))
	}
	if r := review.Mechanical(review.Input{Number: 3, Text: text, Outline: outline(t, c)}); r.Blocking() > 0 {
		t.Errorf("the draft blocks: %+v", r.Issues)
	}
}
