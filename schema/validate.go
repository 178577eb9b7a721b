package schema

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// checker collects what is inconsistent in a record that was read from disk. These checks need nothing but the record:
// whether it is the right record for the tree is the rules' business.
type checker struct {
	file, rule string
	prefix     string
	faults     []Fault
}

func (c *checker) add(field, format string, args ...any) {
	c.faults = append(c.faults, Fault{File: c.file, Field: c.prefix + field, Rule: c.rule, Msg: Textf(format, args...)})
}

// word checks a value against a closed list.
func (c *checker) word(field, got string, allowed ...string) {
	if !slices.Contains(allowed, got) {
		c.add(field, "%q is not allowed here; allowed: %s", got, strings.Join(allowed, ", "))
	}
}

func (c *checker) filled(field, got string) {
	if strings.TrimSpace(got) == "" {
		c.add(field, "is missing or blank")
	}
}

func (c *checker) least(field string, got, least int) {
	if got < least {
		c.add(field, "is %d; it must be at least %d", got, least)
	}
}

func (c *checker) binding(field string, b Binding) {
	c.filled(field+".path", b.Path)
	if b.Blob.IsZero() {
		c.add(field+".blob", "names no text")
	}
	c.least(field+".chars", b.Chars, 0)
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }

// Validate checks that a recorded review is complete and agrees with itself. The faults have no lines: the record was
// decoded.
func (r *Review) Validate(file string) []Fault {
	c := checker{file: file, rule: "review"}
	r.check(&c)
	return c.faults
}

func (r *Review) check(c *checker) {
	c.word("schema", r.Schema, SchemaReview)
	c.filled("book", r.Book)
	c.filled("chapter", r.Chapter)
	c.least("round", r.Round, 1)
	c.filled("producer", r.Producer)
	c.word("depth", r.Depth, DepthAgent, DepthMechanical, DepthPerson)
	c.word("binding", r.Binding, BindingTask, BindingAtRecord)
	c.binding("text", r.Text)
	c.issues(r.Issues, r.IssuesCount, r.Blocking, r.HasBlocking)
	c.dimensions(r.Dimensions, r.Issues, Categories())
}

// Validate checks that a recorded re-check is complete, agrees with itself and speaks of ai_flavor only.
func (r *Recheck) Validate(file string) []Fault {
	c := checker{file: file, rule: "recheck"}
	c.word("schema", r.Schema, SchemaRecheck)
	c.filled("book", r.Book)
	c.filled("chapter", r.Chapter)
	c.filled("task", r.Task)
	c.filled("producer", r.Producer)
	c.word("depth", r.Depth, DepthAgent, DepthMechanical, DepthPerson)
	c.binding("text", r.Text)
	c.issues(r.Issues, r.IssuesCount, r.Blocking, r.HasBlocking)
	c.dimensions(r.Dimensions, r.Issues, []Category{CategoryAIFlavor})
	for i, is := range r.Issues {
		if is.Category != CategoryAIFlavor {
			c.add(fmt.Sprintf("issues[%d].category", i), "a re-check speaks of %s only, not of %q",
				string(CategoryAIFlavor), string(is.Category))
		}
	}
	return c.faults
}

func (c *checker) issues(list []Issue, count, blocking int, has bool) {
	seen := map[string]bool{}
	for k, i := range list {
		at := fmt.Sprintf("issues[%d].", k)
		switch {
		case i.ID == "":
			c.add(at+"id", "is missing or blank")
		case seen[i.ID]:
			c.add(at+"id", "the issue id %q is given twice", i.ID)
		}
		seen[i.ID] = true
		c.word(at+"severity", string(i.Severity), wordsOf(Severities())...)
		c.word(at+"category", string(i.Category), wordsOf(Categories())...)
		c.filled(at+"description", i.Description)
		c.filled(at+"evidence", i.Evidence)
		if i.Severity == SeverityCritical && !i.Blocking {
			c.add(at+"blocking", "a critical issue always blocks")
		}
		if i.Override != nil {
			c.override(at+"override", i)
		}
	}
	open := openBlocking(list)
	if count != len(list) {
		c.add("issues_count", "is %d, but the list holds %d issues", count, len(list))
	}
	if blocking != open {
		c.add("blocking_count", "is %d, but the list holds %d blocking issues that are not overridden", blocking, open)
	}
	if has != (open > 0) {
		c.add("has_blocking", "is %t, but the list holds %d blocking issues that are not overridden", has, open)
	}
}

func (c *checker) override(field string, i Issue) {
	c.filled(field+".reason", i.Override.Reason)
	c.filled(field+".by", i.Override.By)
	if !i.Overridable() {
		c.add(field, "an issue of category %s that states a fact cannot be overridden", string(i.Category))
	}
}

func (c *checker) dimensions(d Dimensions, issues []Issue, allowed []Category) {
	if len(d) == 0 {
		c.add("dimensions", "covers no dimension")
	}
	for _, name := range d.SortedNames() {
		if !slices.Contains(allowed, name) {
			c.add("dimensions."+string(name), "%q is not allowed here; allowed: %s", string(name), joinWords(allowed))
			continue
		}
		if n := countBy(issues, name); int(d[name]) != n {
			c.add("dimensions."+string(name), "concludes on %d issues, but the list holds %d of category %s",
				int(d[name]), n, string(name))
		}
	}
}

func wordsOf[T ~string](list []T) []string {
	words := make([]string, len(list))
	for i, w := range list {
		words[i] = string(w)
	}
	return words
}

// Validate checks that a book's state file agrees with itself.
func (s *BookState) Validate(file string) []Fault {
	c := checker{file: file, rule: "book-state"}
	c.filled("book", s.Book)
	highest := 0
	var odd []string // entries that need more than a glance
	for id, st := range s.Progress.ChapterStatus {
		n, numbered := NumberOfID(id)
		if numbered && st == StateCommitted {
			highest = max(highest, n)
		}
		if !numbered || st.Rank() <= 0 {
			odd = append(odd, id)
		}
	}
	slices.Sort(odd)
	for _, id := range odd {
		at := "progress.chapter_status." + id
		c.chapterID(at, id)
		c.word(at, string(s.Progress.ChapterStatus[id]), string(StateDrafted), string(StateReviewed), string(StateCommitted))
	}
	if s.Progress.CurrentChapter != highest {
		c.add("progress.current_chapter", "is %d, but the highest committed chapter is %d", s.Progress.CurrentChapter, highest)
	}
	for _, id := range sortedKeys(s.Order) {
		at := "order." + id
		if _, numbered := c.chapterID(at, id); numbered {
			c.add(at, "a numbered chapter has its place by its number")
		}
		after := s.Order[id].After
		if after != "0000" {
			c.chapterID(at+".after", after)
		}
		if s.orderLoops(id) {
			c.add(at+".after", "the places of %q go round in a circle", id)
		}
	}
	return c.faults
}

func (s *BookState) orderLoops(id string) bool {
	at := id
	for range len(s.Order) + 1 {
		p, ok := s.Order[at]
		if !ok {
			return false
		}
		if at = p.After; at == id {
			return true
		}
	}
	return false
}

// chapterID checks the form of a chapter id: the four digits of a number, or the key of an unnumbered chapter.
func (c *checker) chapterID(field, id string) (number int, numbered bool) {
	k := KeyOfID(id)
	number, numbered = k.Number()
	if k.ID() != id || id == "" || strings.ContainsAny(id, "/\\\x00") {
		c.add(field, "%q is not a chapter id: use four digits, or the key of an unnumbered chapter", id)
	}
	return number, numbered
}
