package repo_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"git-novel/repo"
	"git-novel/schema"
)

func keys(s string) []schema.ChapterKey {
	var out []schema.ChapterKey
	for f := range strings.FieldsSeq(s) {
		k, err := schema.ParseChapterKey(f)
		if err != nil {
			panic(err)
		}
		out = append(out, k)
	}
	return out
}

func TestOrderKeys(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		keys  string
		order map[string]string
		want  string
	}{
		{"numbers", "10 9 第100章 2", nil, "第02章 第09章 第10章 第100章"},
		{"front and behind", "2 1 楔子 番外 附录", map[string]string{"楔子": "0000", "番外": "0001", "附录": "0002"}, "楔子 第01章 番外 第02章 附录"},
		{"chain", "1 卷首 楔子 序", map[string]string{"卷首": "0000", "楔子": "卷首", "序": "楔子"}, "卷首 楔子 序 第01章"},
		{"front before chapter 0", "0 1 卷首", map[string]string{"卷首": "0000"}, "卷首 第00章 第01章"},
		{"several behind one", "1 番外乙 番外甲", map[string]string{"番外乙": "0001", "番外甲": "0001"}, "第01章 番外乙 番外甲"},
		{"behind a number that is gone", "3 9 番外", map[string]string{"番外": "0005"}, "第03章 番外 第09章"},
		{"behind a number before all", "3 番外", map[string]string{"番外": "0001"}, "番外 第03章"},
		{"no place", "1 番外", nil, "第01章 番外"},
		{"behind nothing", "1 番外", map[string]string{"番外": "没有"}, "第01章 番外"},
		{"circle", "1 甲 乙", map[string]string{"甲": "乙", "乙": "甲"}, "第01章 乙 甲"},
		{"behind itself", "1 甲", map[string]string{"甲": "甲"}, "第01章 甲"},
		{"folded", "1 ＡＢ", map[string]string{"ab": "0000"}, "ＡＢ 第01章"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			order := map[string]schema.Place{}
			for k, v := range tt.order {
				order[k] = schema.Place{After: v}
			}
			var got []string
			for _, k := range repo.OrderKeys(keys(tt.keys), order) {
				got = append(got, string(k))
			}
			if s := strings.Join(got, " "); s != tt.want {
				t.Errorf("got %s, want %s", s, tt.want)
			}
		})
	}
}

// Whatever the order says, every chapter comes exactly once, numbers rise, and the order of the input does not matter.
func TestOrderKeysKeepsAll(t *testing.T) {
	t.Parallel()
	names := []string{"0001", "0002", "0003", "0007", "甲", "乙", "丙", "丁", "0000", "没有"}
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.SliceOfNDistinct(rapid.SampledFrom(names[:8]), 1, 8, rapid.ID).Draw(t, "keys")
		order := map[string]schema.Place{}
		for k, v := range rapid.MapOf(rapid.SampledFrom(names[4:8]), rapid.SampledFrom(names)).Draw(t, "order") {
			order[k] = schema.Place{After: v}
		}
		var ks []schema.ChapterKey
		for _, id := range in {
			ks = append(ks, schema.KeyOfID(id))
		}
		out := repo.OrderKeys(ks, order)
		last := -1
		for _, k := range out {
			if n, ok := k.Number(); ok {
				if n <= last {
					t.Fatalf("numbers fall: %v", out)
				}
				last = n
			}
		}
		a, b := slices.Clone(ks), slices.Clone(out)
		slices.Sort(a)
		slices.Sort(b)
		if !slices.Equal(a, b) {
			t.Fatalf("in %v, out %v", ks, out)
		}
		slices.Reverse(ks)
		if again := repo.OrderKeys(ks, order); !slices.Equal(again, out) {
			t.Fatalf("%v and %v", out, again)
		}
	})
}
