package workflow

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"git-novel/repo/index"
	"git-novel/schema"
)

// DefaultHits is how many places a search lists when nobody says.
const DefaultHits = 20

// Kinds of texts that are searched.
const (
	kindChapters  = "chapters"
	kindSummaries = "summaries"
	kindRecords   = "records"
)

// SearchInput is one search. Words are separated by blanks; a text must have all of them.
type SearchInput struct {
	Words string
	Limit int
	Kinds []string // none: all
}

// SearchResult lists the places by kind and in the order of the book.
type SearchResult struct {
	Book  string   `json:"book"`
	Words []string `json:"words"` // folded
	Hits  []Hit    `json:"hits"`
	More  bool     `json:"more"`
}

// Hit is a line that has the words; where no line has all of them, the first that has the first word.
type Hit struct {
	Kind    string `json:"kind"`
	Chapter any    `json:"chapter,omitempty"` // the number, or the key of an unnumbered chapter
	Path    string `json:"path"`
	Line    int    `json:"line"`
	Excerpt string `json:"excerpt"`
}

// Search finds words in the book's chapters, summaries and records, letter case and width aside. Chapters and records are
// found by what git has of them and shown as they lie on disk.
func (s *Session) Search(ctx context.Context, in SearchInput) (r *SearchResult, err error) {
	var words []string
	for w := range strings.FieldsSeq(in.Words) {
		words = append(words, string(index.Fold(w)))
	}
	if len(words) == 0 {
		return nil, schema.Errorf(schema.CodeUsage, "there is no word to search for")
	}
	if in.Limit < 1 {
		return nil, schema.Errorf(schema.CodeUsage, "--limit must be at least 1")
	}
	for _, k := range in.Kinds {
		if k != kindChapters && k != kindSummaries && k != kindRecords {
			return nil, schema.Errorf(schema.CodeUsage, "%q is no kind of text", k).WithHint("use chapters, summaries or records")
		}
	}
	err = s.withKnown(ctx, []part{wordsPart{}}, func(k *known) error {
		f := &finding{k: k, in: in, words: words, r: &SearchResult{Book: string(k.name), Words: words, Hits: []Hit{}}}
		r = f.r
		return f.run()
	})
	return r, err
}

type finding struct {
	k     *known
	in    SearchInput
	words []string
	r     *SearchResult
}

func (f *finding) wants(kind string) bool {
	return len(f.in.Kinds) == 0 || slices.Contains(f.in.Kinds, kind)
}

func (f *finding) full() bool { return f.r.More }

// candidate is a text that may have the words.
type candidate struct {
	kind, path string
	blob       schema.OID
	key        schema.ChapterKey
	number     int
}

func (f *finding) run() error {
	list, err := f.candidates()
	if err != nil {
		return err
	}
	for _, kind := range []string{kindChapters, kindSummaries, kindRecords} {
		if !f.wants(kind) {
			continue
		}
		if kind == kindSummaries {
			if err := f.summaries(); err != nil {
				return err
			}
			continue
		}
		for _, c := range list {
			if c.kind != kind || f.full() {
				continue
			}
			text, err := f.text(c)
			if err != nil {
				return err
			}
			f.lines(c, text)
		}
	}
	return nil
}

// fewDocs is how many entries are looked up one by one; of more all are read at once.
const fewDocs = 400

// candidates asks the word index, and sorts by the order of the book: what the index was made from, and when, shows nowhere.
func (f *finding) candidates() ([]candidate, error) {
	next, err := f.k.nextDoc()
	if err != nil {
		return nil, err
	}
	ids, some, err := f.k.book.Find(f.words, next)
	if err != nil {
		return nil, err
	}
	var docs []index.Thing
	if !some || len(ids) > fewDocs {
		all, err := f.k.book.Range(thingDoc, 0, endPos, 0, false)
		if err != nil {
			return nil, err
		}
		for _, d := range all {
			if _, is := slices.BinarySearch(ids, int(d.Pos)); is || !some {
				docs = append(docs, d)
			}
		}
	} else {
		for _, id := range ids {
			d, err := f.k.book.Range(thingDoc, int64(id), int64(id)+1, 1, false)
			if err != nil {
				return nil, err
			}
			docs = append(docs, d...)
		}
	}
	out := make([]candidate, 0, len(docs))
	for _, d := range docs {
		c, err := candidateOf(d)
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	slices.SortFunc(out, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.number, b.number), cmp.Compare(a.path, b.path))
	})
	return out, nil
}

func candidateOf(d index.Thing) (candidate, error) {
	var e docEntry
	if err := decode(d, &e); err != nil {
		return candidate{}, err
	}
	c := candidate{kind: kindRecords, path: d.Key, blob: e.Blob, number: schema.MaxNumber + 1}
	info := schema.ParsePath(d.Key)
	switch {
	case info.Kind == schema.PathChapter:
		c.kind = kindChapters
		if file, ok := schema.ParseChapterFile(info.Name); ok {
			c.key = file.Key
		}
	case info.IsRecord():
		c.key = schema.KeyOfID(info.ID)
	}
	if n, ok := c.key.Number(); ok {
		c.number = n
	}
	return c, nil
}

// text is a text as it lies on disk, else as git has it.
func (f *finding) text(c candidate) (string, error) {
	data, err := f.k.s.lib.ReadFile(c.path)
	if err != nil {
		data, err = f.k.snap.BlobBytes(c.path, c.blob)
	}
	return string(data), err
}

// lines lists the lines of a text that have the words.
func (f *finding) lines(c candidate, text string) {
	hit := func(line int, said string, at int) bool {
		if len(f.r.Hits) == f.in.Limit {
			f.r.More = true
			return false
		}
		h := Hit{Kind: c.kind, Path: c.path, Line: line, Excerpt: excerpt(said, at)}
		if c.key != "" {
			h.Chapter = statusKey(c.key)
		}
		f.r.Hits = append(f.r.Hits, h)
		return true
	}
	missing := make([]bool, len(f.words))
	for i := range missing {
		missing[i] = true
	}
	found := false
	first, firstText, firstAt := 0, "", 0
	for i, said := range textLines(c.path, text) {
		folded := string(index.Fold(said))
		all, at := true, -1
		for w, word := range f.words {
			before, _, is := strings.Cut(folded, word)
			if !is {
				all = false
				continue
			}
			missing[w] = false
			n := len([]rune(before))
			if at < 0 || n < at {
				at = n
			}
			if w == 0 && first == 0 {
				first, firstText, firstAt = i+1, said, n
			}
		}
		if all {
			found = true
			if !hit(i+1, said, at) {
				return
			}
		}
	}
	if !found && first > 0 && !slices.Contains(missing, true) {
		hit(first, firstText, firstAt)
	}
}

// summaries looks through the whole file of summaries: it is one file, and nothing in it is too far away to read.
func (f *finding) summaries() error {
	path := schema.SummariesPath(f.k.name)
	data, err := f.k.s.lib.ReadFile(path)
	if schema.CodeOf(err) == schema.CodeNotFound {
		return nil
	}
	if err != nil {
		return err
	}
	text := string(data)
	for _, w := range f.words { // most questions end here
		if !plainASCII(w) && !strings.Contains(text, w) && !strings.ContainsFunc(text, foldable) {
			return nil
		}
	}
	// Each entry by itself: "chapter" comes before what is said of it.
	var key schema.ChapterKey
	for n, line := range strings.Split(text, "\n") {
		if f.full() {
			return nil
		}
		name, value, ok := jsonLine(line)
		if !ok {
			continue
		}
		if name == "chapter" {
			key = ""
			if k, err := schema.ParseChapterKey(value); err == nil {
				key = k
			}
			continue
		}
		if name != "updatedAt" && name != "book" {
			f.summaryLine(path, key, n+1, value)
		}
	}
	return nil
}

func (f *finding) summaryLine(path string, key schema.ChapterKey, line int, value string) {
	folded := string(index.Fold(value))
	at := -1
	for _, w := range f.words {
		before, _, is := strings.Cut(folded, w)
		if !is {
			return
		}
		if n := len([]rune(before)); at < 0 || n < at {
			at = n
		}
	}
	if len(f.r.Hits) == f.in.Limit {
		f.r.More = true
		return
	}
	h := Hit{Kind: kindSummaries, Path: path, Line: line, Excerpt: excerpt(value, at)}
	if key != "" {
		h.Chapter = statusKey(key)
	}
	f.r.Hits = append(f.r.Hits, h)
}

func plainASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= 0x80 })
}

// foldable reports a rune that folding changes, Latin letters in plain writing aside.
func foldable(r rune) bool { return r >= 0x80 && index.FoldRune(r) != r }

// textLines are the lines of a text that are searched, by their place: of JSON only the words of the values.
func textLines(path, text string) []string {
	lines := strings.Split(strings.TrimPrefix(text, "\ufeff"), "\n")
	if !strings.HasSuffix(path, ".json") {
		for i := range lines {
			lines[i] = strings.TrimSuffix(lines[i], "\r")
		}
		return lines
	}
	for i, l := range lines {
		_, lines[i], _ = jsonLine(l)
	}
	return lines
}

// jsonLine takes a line of indented JSON apart: the key, if it has one, and the text of a string value. A line that is not
// of that form is a text as a whole.
func jsonLine(line string) (key, value string, ok bool) {
	line = strings.TrimSuffix(strings.TrimSpace(line), ",")
	if k, rest, cut := strings.Cut(line, `": `); cut && strings.HasPrefix(k, `"`) && !strings.Contains(k[1:], `"`) {
		key, line = k[1:], rest
	}
	if len(line) > 1 && (line[0] == '{' || line[0] == '[') { // JSON on one line
		return key, line, true
	}
	if len(line) < 2 || line[0] != '"' {
		return key, "", false
	}
	if !strings.ContainsRune(line, '\\') && line[len(line)-1] == '"' {
		return key, line[1 : len(line)-1], true
	}
	if err := json.Unmarshal([]byte(line), &value); err != nil {
		return key, line, true
	}
	return key, value, true
}

// excerptLength is how much of a line is shown, in characters.
const excerptLength = 60

// excerpt is the line around a place.
func excerpt(line string, at int) string {
	r := []rune(line)
	from := max(0, at-excerptLength/3)
	to := min(len(r), from+excerptLength)
	out := strings.Join(strings.Fields(string(r[from:to])), " ")
	if from > 0 {
		out = "…" + out
	}
	if to < len(r) {
		out += "…"
	}
	return out
}
