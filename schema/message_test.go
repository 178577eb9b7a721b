package schema

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestMessage(t *testing.T) {
	t.Parallel()
	oid := HashBlob([]byte("x"))
	tests := []struct {
		name string
		m    Message
		want string
	}{
		{"DESIGN 6", Message{
			Verb: VerbReview, Book: "雨夜灯", Chapter: "第03章", Subject: "第2轮 0 阻断", From: StateDrafted, To: StateReviewed, Text: oid,
		}, "review(雨夜灯 第03章): 第2轮 0 阻断\n\nNovel-Book: 雨夜灯\nNovel-Chapter: 0003\nNovel-State: chapter_drafted -> chapter_reviewed\nNovel-Text: " + oid.String() + "\n"},
		{
			"first step",
			Message{Verb: VerbSave, Book: "雨夜灯", Chapter: "番外·雨夜", Subject: "新章", To: StateDrafted},
			"save(雨夜灯 番外·雨夜): 新章\n\nNovel-Book: 雨夜灯\nNovel-Chapter: 番外·雨夜\nNovel-State: none -> chapter_drafted\n",
		},
		{"no chapter", Message{Verb: VerbBook, Book: "雨 夜", Subject: "新书"}, "book(雨 夜): 新书\n\nNovel-Book: 雨 夜\n"},
		{"no book", Message{Verb: VerbInit, Subject: "书库"}, "init: 书库\n"},
		{"folded values", Message{Verb: VerbOverride, Book: "灯", Chapter: "第01章", Subject: "r2-1\n二", Extra: []Trailer{
			{TrailerOverride, "r2-1"}, {TrailerReason, "一\n\n---\r\n 二\x00三\n"}, {"bad key", "x"}, {"Empty", " \n"},
		}}, "override(灯 第01章): r2-1 二\n\nNovel-Book: 灯\nNovel-Chapter: 0001\nNovel-Override: r2-1\nNovel-Reason: 一\n ---\n 二 三\n"},
		{"body", Message{Verb: VerbTrash, Book: "灯", Subject: "删", Body: "\n一\n\n--- 二\x01\n"}, "trash(灯): 删\n\n一\n\n --- 二\n\nNovel-Book: 灯\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if d := cmp.Diff(tt.want, tt.m.String()); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestParseMessage(t *testing.T) {
	t.Parallel()
	oid := HashBlob([]byte("x"))
	tests := []struct {
		name, text string
		want       Message
		ok         bool
	}{
		{"someone else's", "fix: typo (第03章)\n\nbody\n", Message{Subject: "fix: typo (第03章)", Body: "body"}, false},
		{"ours without trailers", "save(灯): x", Message{Verb: "save", Book: "灯", Subject: "x"}, true},
		{
			"sign-off and cherry-pick", "save(灯 第01章): x\n\nNovel-Book: 灯\nNovel-Chapter: 0001\n(cherry picked from commit 12)\nSigned-off-by: A <a@b>\n",
			Message{Verb: "save", Book: "灯", Chapter: "第01章", Subject: "x", ChapterID: "0001", Extra: []Trailer{{"Signed-off-by", "A <a@b>"}}},
			true,
		},
		{"edited subject", "my words\r\n\r\nNovel-Book: 灯\r\nnovel-text: " + oid.String() + "\r\n", Message{Book: "灯", Subject: "my words", Text: oid}, true},
		{"bad values stay", "x\n\nNovel-State: a -> b\nNovel-Text: 12\n", Message{Subject: "x", Extra: []Trailer{{"Novel-State", "a -> b"}, {"Novel-Text", "12"}}}, false},
		{"prose in the last paragraph", "x\n\nNovel-Book: 灯\nand more words\n", Message{Subject: "x", Body: "Novel-Book: 灯\nand more words"}, false},
		{"trailer line as subject", "Novel-Book: 灯", Message{Subject: "Novel-Book: 灯"}, false},
		{"empty", "", Message{}, false},
		{"verb alone", "merge", Message{Verb: "merge"}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, ok := ParseMessage(tt.text)
			if ok != tt.ok {
				t.Errorf("ours: %v", ok)
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func genMessage() *rapid.Generator[Message] {
	return rapid.Custom(func(t *rapid.T) Message {
		m := Message{
			Verb: rapid.SampledFrom(Verbs()).Draw(t, "verb"), Book: rapid.SampledFrom([]string{"雨夜灯", "雨 夜", "a(b)"}).Draw(t, "book"),
			Subject: rapid.String().Draw(t, "subject"), Text: HashBlob([]byte(rapid.String().Draw(t, "text"))),
			From: rapid.SampledFrom(States()).Draw(t, "from"), To: rapid.SampledFrom(States()).Draw(t, "to"),
			Extra: []Trailer{{TrailerReason, rapid.StringOf(rapid.SampledFrom([]rune("a: #\n\r\t-雨\x00\u2028"))).Draw(t, "reason")}},
		}
		if rapid.Bool().Draw(t, "chapter") {
			k, err := ParseChapterKey(rapid.SampledFrom([]string{"3", "番外 雨夜", "第10001章", "楔子"}).Draw(t, "key"))
			if err != nil {
				t.Fatal(err)
			}
			m.Chapter, m.ChapterID = string(k), k.ID()
		}
		return m
	})
}

func TestMessageRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := genMessage().Draw(t, "m")
		got, ok := ParseMessage(m.String())
		if !ok {
			t.Fatalf("not ours:\n%s", m)
		}
		if got.String() != m.String() {
			t.Fatalf("written\n%s\nread and written\n%s", m, got)
		}
		if got.Verb != m.Verb || got.Book != m.Book || got.ChapterID != m.ChapterID || got.Chapter != m.Chapter || got.Text != m.Text ||
			m.From != m.To && (got.From != m.From || got.To != m.To) {
			t.Fatalf("read %+v\nof %+v", got, m)
		}
	})
}

// git itself must find the trailers that we write.
func TestTrailersAgainstGit(t *testing.T) {
	t.Parallel()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("no git on PATH: trailers are checked by TestMessageRoundTrip only")
	}
	for i := range 25 {
		m := genMessage().Example(i)
		cmd := exec.Command(git, "interpret-trailers", "--parse")
		cmd.Stdin = strings.NewReader(m.String())
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		var want strings.Builder
		for _, tr := range m.trailers() {
			want.WriteString(tr.Key + ": " + strings.ReplaceAll(foldValue(tr.Value), "\n", "") + "\n")
		}
		if d := cmp.Diff(want.String(), string(out)); d != "" {
			t.Errorf("%s\n%s", m, d)
		}
	}
}

func FuzzParseMessage(f *testing.F) {
	f.Add("review(雨夜灯 第03章): x\n\nNovel-Book: 雨夜灯\nNovel-State: none -> chapter_drafted\n more\n")
	f.Add("\n\n#\n \n:")
	f.Fuzz(func(t *testing.T, s string) {
		m, _ := ParseMessage(s)
		m.Body = "" // a body of trailer lines is trailers, to git too
		if k, err := ParseChapterKey(m.Chapter); m.Book != "" && !IsBookName(m.Book) || m.Chapter != "" && (err != nil || k != ChapterKey(m.Chapter)) {
			return // names that no book has; reading them must only not fail
		}
		again, _ := ParseMessage(m.String())
		if third, _ := ParseMessage(again.String()); again.String() != third.String() {
			t.Fatalf("%q\n%q\n%q", s, again.String(), third.String())
		}
	})
}
