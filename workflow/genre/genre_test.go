package genre

import (
	"slices"
	"testing"

	"git-novel/schema"
)

func TestSet(t *testing.T) {
	t.Parallel()
	own, err := schema.ParseGenre(".novel-writer/genres/末世.toml", []byte(`
strand = "survival"
excerpt = "物资是钱"
[strands.survival]
hint = "求生压过一切"
weights = { quest = 80, fire = 20 }
[strands.balanced]
hint = "本库的均衡"
weights = { quest = 34, fire = 33, constellation = 33 }
`))
	if err != nil {
		t.Fatal(err)
	}
	s := New(own)
	for _, name := range []string{"main_heavy", "balanced", "relationship_heavy", "survival"} {
		p, ok := s.Profile(name)
		sum := 0
		for _, n := range p.Weights {
			sum += n
		}
		if !ok || p.Hint == "" || sum != 100 || !slices.Contains(s.Names(), name) {
			t.Errorf("%s: %v %+v", name, ok, p)
		}
	}
	if p, _ := s.Profile("Balanced"); p.Hint != "本库的均衡" {
		t.Errorf("the library's own profile does not win: %+v", p)
	}
	if p, _ := New().Profile("balanced"); p.Hint == "本库的均衡" {
		t.Error("the built-in table was written to")
	}
	for _, c := range []struct{ outline, library, genre, want string }{
		{"main_heavy", "balanced", "末世", "main_heavy"}, {"", "balanced", "末世", "balanced"}, {" ", "", "末世", "survival"}, {"", "", "甜宠", ""}, {"nothing", "balanced", "", ""},
	} {
		if p, _ := s.ProfileOf(c.outline, c.library, c.genre); p.Name != c.want {
			t.Errorf("%+v: %q", c, p.Name)
		}
	}
	if s.Excerpt("末世") != "物资是钱" || s.Excerpt("甜宠") != "" {
		t.Error("excerpt")
	}
}

func TestParseGenreFaults(t *testing.T) {
	t.Parallel()
	_, err := schema.ParseGenre("g.toml", []byte("strandd = \"x\"\nexcerpt = 1\n[strands.a]\nweights = { quest = 60, war = 40 }\n[strands.b]\nhint = 2\n"))
	var got []string
	for _, f := range schema.DetailsOf(err) {
		got = append(got, f.Field)
		if f.Line == 0 {
			t.Errorf("%s has no line", f.Field)
		}
	}
	for _, want := range []string{"strandd", "excerpt", "strands.a.weights.war", "strands.a.weights", "strands.b.hint", "strands.b.weights"} {
		if !slices.Contains(got, want) {
			t.Errorf("no fault of %s: %v", want, got)
		}
	}
	if _, err := schema.ParseGenre("g.toml", []byte("[a\n")); schema.CodeOf(err) != schema.CodeInvalid {
		t.Error(err)
	}
}
