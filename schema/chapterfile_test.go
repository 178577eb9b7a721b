package schema

import (
	"strings"
	"testing"
)

func TestChapterFileName(t *testing.T) {
	t.Parallel()
	tests := []struct {
		key    ChapterKey
		title  string
		digits int
		want   string
	}{
		{"第03章", "", 2, "第03章.md"},
		{"第03章", "雨夜", 0, "第03章 雨夜.md"},
		{"第03章", "雨夜", 4, "第0003章 雨夜.md"},
		{"第1001章", "雨夜", 2, "第1001章 雨夜.md"},
		{"第03章", "a/b: c?", 3, "第003章 ab c.md"},
		{"第03章", "***", 2, "第03章.md"},
		{"第03章", strings.Repeat("字", 30), 2, "第03章 " + strings.Repeat("字", 24) + ".md"},
		{"第03章", "a" + strings.Repeat("😀", 20), 2, "第03章 a" + strings.Repeat("😀", 11) + ".md"},
		{"第03章", strings.Repeat("字", 23) + " 尾巴", 2, "第03章 " + strings.Repeat("字", 23) + ".md"},
		{"番外·雨夜", "别的题", 4, "番外·雨夜.md"},
	}
	for _, tt := range tests {
		if got := ChapterFileName(tt.key, tt.title, tt.digits); got != tt.want {
			t.Errorf("ChapterFileName(%s, %q, %d) = %q, want %q", tt.key, tt.title, tt.digits, got, tt.want)
		}
	}
}

func TestParseChapterFile(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		key    ChapterKey // "" is no chapter file
		number int
		title  string
		ext    string
	}{
		{"第3章.md", "第03章", 3, "", ".md"},
		{"第03章 雨夜.md", "第03章", 3, "雨夜", ".md"},
		{"第0003章-雨夜.md", "第03章", 3, "雨夜", ".md"},
		{"第0003章 雨夜.MARKDOWN", "第03章", 3, "雨夜", ".markdown"},
		{"第三章　雨夜.txt", "第03章", 3, "雨夜", ".txt"},
		{"07-陨落.md", "第07章", 7, "陨落", ".md"},
		{"07. 陨落.md", "第07章", 7, "陨落", ".md"},
		{"12.md", "第12章", 12, "", ".md"},
		{"第二卷 第3章：夜（上）.md", "第03章", 3, "夜（上）", ".md"},
		{"【第3章】夜.md", "第03章", 3, "夜", ".md"},
		{"番外·雨夜.md", "番外·雨夜", -1, "番外·雨夜", ".md"},
		{"番外·雨夜.txt", "番外·雨夜", -1, "番外·雨夜", ".txt"},
		{"楔子.txt", "楔子", -1, "楔子", ".txt"},
		{"笔记.txt", "", 0, "", ""},
		{"笔记.docx", "", 0, "", ""},
		{".md", "", 0, "", ""},
		{".第03章.md", "", 0, "", ""},
		{"a/第03章.md", "", 0, "", ""},
		{"第03章.md.bak", "", 0, "", ""},
		{"第3.5章 夜.md", "第3.5章 夜", -1, "第3.5章 夜", ".md"},
		{"第10001章.md", "第10001章", -1, "第10001章", ".md"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, ok := ParseChapterFile(tt.name)
			want := ChapterFileInfo{Key: tt.key, Number: tt.number, Title: tt.title, Ext: tt.ext}
			if ok != (tt.key != "") || ok && got != want {
				t.Errorf("got %+v, %v", got, ok)
			}
		})
	}
}

func TestTitleAfterNumber(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"# 第03章 证词里的空白": "证词里的空白", "第一回　甄士隐": "甄士隐", "正文 第三章 题": "题", "楔子": "楔子", "## 楔子": "楔子", "第03章": "",
		"第03章 1984": "1984", "3、雨夜": "雨夜", "3：雨夜": "雨夜", "4:30的闹钟": "4:30的闹钟",
	} {
		if got := TitleAfterNumber(in); got != want {
			t.Errorf("%q has the title %q, want %q", in, got, want)
		}
	}
}
