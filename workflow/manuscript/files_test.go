package manuscript

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestFromFiles(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		files []NamedText
		want  string
	}{
		{"natural order", []NamedText{{"第10章 灯.txt", body}, {"第2章 夜.txt", body}, {"第1章 雨.txt", body}}, "1 雨|2 夜|10 灯"},
		{"chinese numerals", []NamedText{{"第十章 灯.md", body}, {"第二章 夜.md", body}}, "2 夜|10 灯"},
		{"front and back", []NamedText{{"后记.txt", body}, {"楔子.txt", body}, {"01 雨.txt", body}}, "楔子|1 雨|后记"},
		{"heading gives the title", []NamedText{{"第1章.txt", book("第一章 雨")}, {"第2章.txt", book("# 第二章 夜")}}, "1 雨|2 夜"},
		{"heading gives the number", []NamedText{{"a.txt", book("第一章 雨")}, {"b.txt", book("第二章 夜")}}, "1 雨|2 夜"},
		{"several in one", []NamedText{{"上册.txt", book("第一章 雨", "第二章 夜")}, {"下册.txt", book("第三章 灯", "第四章 门")}}, "1 雨|2 夜|3 灯|4 门"},
		{"folders", []NamedText{{"第二卷 云/第3章.txt", body}, {"第十卷 雷/第4章.txt", body}, {"第一卷 风/第1章.txt", body}, {"第一卷 风/第2章.txt", body}}, "1|2|3|4"},
		{"blank files", []NamedText{{"00.txt", " \n"}, {"01.txt", body}, {"02.txt", "\n"}, {"03.txt", ""}, {"04.txt", body}}, "1|4"},
		{"front of a file", []NamedText{{"全书.txt", "书名\n作者\n" + book("第一章 雨", "第二章 夜")}}, "全书|1 雨|2 夜"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := FromFiles(tt.files, Options{})
			checkWhole(t, p, p.Text)
			if got := list(p); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			size := 0
			for _, f := range tt.files {
				size += len(f.Text)
			}
			if size != len(p.Text) {
				t.Errorf("%d bytes of %d", len(p.Text), size)
			}
		})
	}
}

func TestFromFilesVolumes(t *testing.T) {
	t.Parallel()
	p := FromFiles([]NamedText{
		{"第一卷 风/第1章.txt", body}, {"第一卷 风/第2章.txt", body}, {"第二卷 云/第1章.txt", body}, {"第二卷 云/第2章.txt", body},
	}, Options{Renumber: true})
	if got := list(p) + " / " + volumes(p); got != "1|2|3|4 / 第一卷 风 1-2|第二卷 云 3-4" {
		t.Errorf("got %s, %v", got, p.Err(""))
	}
}

func TestFromFilesDoubts(t *testing.T) {
	t.Parallel()
	p := FromFiles([]NamedText{{"第3章.txt", book("第四章 雨")}, {"笔记.txt", "买米。\n"}}, Options{})
	if len(p.Chapters) != 2 || !p.Chapters[0].Doubtful() || !p.Chapters[1].Doubtful() || p.Chapters[0].Number != 3 {
		t.Errorf("%s", list(p))
	}
	if !strings.Contains(p.Chapters[0].Doubt[0].String(), "says 3") {
		t.Error(p.Chapters[0].Doubt)
	}
}

// Whatever the files are, their texts in order are the plan, and each chapter but a blank plan's has text.
func TestFromFilesLosesNothing(t *testing.T) {
	t.Parallel()
	names := []string{"第1章.txt", "第2章 夜.md", "03.txt", "楔子.md", "番外.txt", "卷二/第4章.txt", "卷二/笔记.txt", "a.txt", "第1章 b.txt"}
	texts := []string{"", " \n", "第一章 雨\n" + body, "第五章 门\n第六章 堂\n" + body, body, "楔子\n" + body, "正文"}
	rapid.Check(t, func(t *rapid.T) {
		var files []NamedText
		size := 0
		for _, n := range rapid.SliceOfDistinct(rapid.SampledFrom(names), rapid.ID).Draw(t, "names") {
			f := NamedText{Name: n, Text: rapid.SampledFrom(texts).Draw(t, "text")}
			size += len(f.Text)
			files = append(files, f)
		}
		p := FromFiles(files, Options{Renumber: rapid.Bool().Draw(t, "renumber")})
		checkWhole(t, p, p.Text)
		if len(p.Text) != size {
			t.Fatalf("%d of %d bytes", len(p.Text), size)
		}
		for i := range p.Chapters {
			if strings.TrimSpace(p.TextOf(i)) == "" {
				t.Fatalf("chapter %s is blank", p.Chapters[i].Key)
			}
		}
	})
}
