package review

import (
	"slices"
	"strings"
	"testing"

	"git-novel/schema"
)

func TestLearn(t *testing.T) {
	t.Parallel()
	const text = "他不由自主地握紧了拳头，仿佛整个世界都安静了下来。夜色像墨一样化开。"
	flavour := func(sev schema.Severity, evidence string) schema.Issue {
		return schema.Issue{Severity: sev, Category: schema.CategoryAIFlavor, Evidence: evidence, FixHint: "写动作\n不写感叹"}
	}
	for _, c := range []struct {
		name   string
		issues []schema.Issue
		want   []string
	}{
		{"quoted", []schema.Issue{flavour(schema.SeverityMedium, "第1段「仿佛整个世界都安静了下来」是套话")}, []string{"仿佛整个世界都安静了下来"}},
		{"whole", []schema.Issue{flavour(schema.SeverityHigh, "原文：不由自主地握紧了拳头")}, []string{"不由自主地握紧了拳头"}},
		{"short though absent", []schema.Issue{flavour(schema.SeverityCritical, "空气仿佛凝固了")}, []string{"空气仿佛凝固了"}},
		{"own words", []schema.Issue{flavour(schema.SeverityHigh, "全章一共有十二处以比喻结尾的句子，集中在第二段到第五段之间，读来千篇一律")}, nil},
		{"low", []schema.Issue{flavour(schema.SeverityLow, "夜色像墨一样化开")}, nil},
		{"other category", []schema.Issue{{Severity: schema.SeverityHigh, Category: schema.CategoryLogic, Evidence: "夜色像墨一样化开"}}, nil},
		{"overridden", []schema.Issue{{Severity: schema.SeverityHigh, Category: schema.CategoryAIFlavor, Evidence: "夜色像墨一样化开", Override: &schema.Override{Reason: "有意", By: "x"}}}, nil},
		{"twice", []schema.Issue{flavour(schema.SeverityHigh, "夜色像墨一样化开"), flavour(schema.SeverityHigh, "夜色像墨一样化开。")}, []string{"夜色像墨一样化开"}},
		{"found by a pattern", []schema.Issue{flavour(schema.SeverityHigh, "意味深长地看了他一眼")}, nil},
		{"comment and pattern marks", []schema.Issue{flavour(schema.SeverityHigh, "# /夜色像墨一样化开")}, []string{"夜色像墨一样化开"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			const own = "# 我的表\r\n意味深长\t换掉\r\n不要动这一行"
			out, added, err := Learn("f", []byte(own), c.issues, text)
			if err != nil || !slices.Equal(added, c.want) {
				t.Fatalf("%q %v, want %q", added, err, c.want)
			}
			if !strings.HasPrefix(string(out), own) {
				t.Errorf("the author's lines changed: %q", out)
			}
			list, err := ParseFlavor("f", out)
			if err != nil || list.Len() != 2+len(c.want) {
				t.Fatalf("%v %q", err, out)
			}
			again, more, err := Learn("f", out, c.issues, text)
			if err != nil || len(more) > 0 || string(again) != string(out) {
				t.Errorf("learned twice: %q %v", more, err)
			}
			if n := strings.Count(string(out), "\n") - strings.Count(string(out), "\r\n"); n != 0 {
				t.Errorf("mixed line ends: %q", out)
			}
		})
	}
	out, added, err := Learn("f", nil, []schema.Issue{flavour(schema.SeverityHigh, "夜色像墨一样化开")}, text)
	if err != nil || len(added) != 1 || !strings.HasPrefix(string(out), DefaultFlavorText) {
		t.Errorf("%v %v", added, err)
	}
	if _, _, err := Learn("f", []byte("/(/\n"), nil, ""); schema.CodeOf(err) != schema.CodeInvalid {
		t.Error(err)
	}
}
