package schema

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestSanitizeSegment(t *testing.T) {
	t.Parallel()
	tests := []struct{ row, in, want string }{
		{"D57", "a/b/c", "abc"},
		{"K18", "a..b", "a.b"},
		{"leading dot", ".hidden", "hidden"},
		{"trailing dot", "x.", "x"},
		{"inner space", "雨 夜", "雨 夜"},
		{"D59", "..", ""},
		{"D59", "///", ""},
		{"D58", "***", ""},
		{"D11", "../../x", "x"},
		{"D12, K37", "CON", "_CON"},
		{"nul", "nul", "_nul"},
		{"reserved with an extension", "CON.md", "_CON.md"},
		{"reserved with an extension", "aux.txt", "_aux.txt"},
		{"reserved with a blank", "con .x", "_con .x"},
		{"com1", "Com1", "_Com1"},
		{"superscript", "LPT²", "_LPT²"},
		{"not reserved", "com0", "com0"},
		{"not reserved", "console", "console"},
		{"git's short name", "GIT~1", "_GIT~1"},
		{".git", ".git", "git"},
		{"full-width forms stay", "雨／夜：", "雨／夜："},
		{"every character that goes", `a\b/c:d*e?f"g<h>i|j`, "abcdefghij"},
		{"a removed character joins dots", "a./.b", "a.b"},
		{"controls and bidi", "雨\x00\n\u202e\u2066夜\u200b", "雨夜"},
		{"emoji joiner stays", "👩\u200d💻", "👩\u200d💻"},
		{"NFC", "e\u0301", "é"},
		{"bad UTF-8", "a\xffb", "ab"},
		{"ends", " . 雨夜 .　", "雨夜"},
	}
	for _, tt := range tests {
		t.Run(tt.row, func(t *testing.T) {
			t.Parallel()
			got, ok := SanitizeSegment(tt.in)
			if got != tt.want || ok != (tt.want != "") {
				t.Errorf("SanitizeSegment(%q) = %q, %v; want %q", tt.in, got, ok, tt.want)
			}
		})
	}
}

func TestBookNames(t *testing.T) {
	t.Parallel()
	tests := []struct {
		row, in, want string
		msg           string // of the error of ParseBookName
		strict        bool
	}{
		{"plain", "雨夜灯", "雨夜灯", "", true},
		{"blank around", "  雨夜灯 ", "雨夜灯", "", true},
		{"D8", "", "", `参数 "book" 不能为空字符串`, false},
		{"D8, Y6", " \t　", "", `参数 "book" 不能为空字符串`, false},
		{"D9, Y7", "***", "", "参数 book 不能为空（清洗后无有效字符）", false},
		{"D10, Y8", "a/b", "ab", "", false},
		{"D11", "../../x", "x", "", false},
		{"D12, Y9", "CON", "_CON", "", false},
		{"already safe", "_CON", "_CON", "", true},
		{"material folder", "创作资料", "", "创作资料 is the folder of outline material, not a book", false},
		{"66 Chinese characters", strings.Repeat("字", 66), strings.Repeat("字", 66), "", true},
		{"67 Chinese characters", strings.Repeat("字", 67), "", "the book name has 201 bytes, more than 200", false},
		{"decomposed", "e\u0301", "é", "", false},
	}
	for _, tt := range tests {
		t.Run(tt.row, func(t *testing.T) {
			t.Parallel()
			b, err := ParseBookName(tt.in)
			if tt.msg != "" {
				var e *Error
				if !errors.As(err, &e) || e.Code != CodeInvalid || e.Msg.String() != tt.msg {
					t.Errorf("error %v, want %s", err, tt.msg)
				}
			} else if err != nil || string(b) != tt.want || !IsBookName(string(b)) {
				t.Errorf("got %q, %v", b, err)
			}
			b, err = StrictBookName(tt.in)
			if tt.strict != (err == nil) || err == nil && string(b) != tt.want {
				t.Errorf("strict: %q, %v", b, err)
			}
			if err != nil && CodeOf(err) != CodeInvalid {
				t.Errorf("strict: code %s", CodeOf(err))
			}
		})
	}
	var e *Error
	if _, err := StrictBookName("../../x"); !errors.As(err, &e) || !strings.Contains(e.Hint.String(), `"x"`) {
		t.Errorf("the hint does not name the clean form: %v", err)
	}
	if !SameBook("ABC", "ａｂｃ") || SameBook("雨夜灯", "雨夜灯甲") {
		t.Error("SameBook")
	}
}

func checkSegment(t interface{ Fatalf(string, ...any) }, s string) {
	if fast, slow := visible(s), cleanVisible(s); fast != slow {
		t.Fatalf("the fast way makes %q of %q, the rules make %q", fast, s, slow)
	}
	seg, ok := SanitizeSegment(s)
	if slow, slowOK := cleanSegment(s); slow != seg || slowOK != ok {
		t.Fatalf("the fast way makes %q of %q, the rules make %q", seg, s, slow)
	}
	if b, err := ParseBookName(s); IsBookName(s) != (err == nil && string(b) == s) {
		t.Fatalf("IsBookName(%q) = %v", s, IsBookName(s))
	}
	if !ok {
		if seg != "" {
			t.Fatalf("%q: %q without ok", s, seg)
		}
		return
	}
	switch {
	case !utf8.ValidString(seg), strings.ContainsAny(seg, `/\:*?"<>|`), strings.Contains(seg, ".."), strings.HasPrefix(seg, "."),
		strings.HasSuffix(seg, "."), TrimJS(seg) != seg, strings.ContainsFunc(seg, hiddenRune), isReservedName(seg):
		t.Fatalf("SanitizeSegment(%q) = %q", s, seg)
	}
	if again, ok := SanitizeSegment(seg); !ok || again != seg {
		t.Fatalf("SanitizeSegment(%q) = %q, then %q", s, seg, again)
	}
	if title := FileTitle(s); title != "" && (FileTitle(title) != title || UTF16Len(title) > maxTitleUnits) {
		t.Fatalf("FileTitle(%q) = %q, then %q", s, title, FileTitle(title))
	}
	if f := FoldName(s); FoldName(f) != f {
		t.Fatalf("FoldName(%q) = %q, then %q", s, f, FoldName(f))
	}
}

func TestSegmentProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) { checkSegment(t, chapterish().Draw(t, "s")) })
}

func FuzzSegment(f *testing.F) {
	for _, s := range []string{"a/b", "CON.md", "..", "e\u0301", "git~1", "a\u200b.\u200b.b", "aux\u3000.x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) { checkSegment(t, s) })
}
