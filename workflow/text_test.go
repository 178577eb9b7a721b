package workflow

import (
	"testing"

	"git-novel/schema"
)

func TestCheckTitle(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		in, want string
		code     schema.Code
	}{
		{in: " 雨夜灯\u3000", want: "雨夜灯"},
		{in: "", want: ""},
		{in: "\u202e雨\u2066夜\u200b灯\ufeff", want: "雨夜灯"},
		{in: "\u200b\u202e", want: ""},
		{in: "e\u0301", want: "\u00e9"},
		{in: "👨\u200d👩", want: "👨\u200d👩"},
		{in: "a\nb", code: schema.CodeUsage},
		{in: "a\x1b[31mb", code: schema.CodeUsage},
		// A byte that is no text would make the chapter's heading line unreadable for every later command.
		{in: "a\xffb", code: schema.CodeUsage},
	} {
		got, err := checkTitle(tt.in)
		if got != tt.want || (err == nil) != (tt.code == "") || err != nil && schema.CodeOf(err) != tt.code {
			t.Errorf("checkTitle(%q) = %q, %v; want %q, %v", tt.in, got, err, tt.want, tt.code)
		}
	}
}
