package manuscript

import (
	"git-novel/schema"
)

// FrontKey is the key of the unnumbered chapter that holds the text before the first heading.
const FrontKey schema.ChapterKey = "卷首"

// MaxNumber is the highest chapter number (DESIGN 4).
const MaxNumber = 9999

// Options says how to read a manuscript.
type Options struct {
	// Renumber numbers the chapters through the book when the source's own numbers restart, repeat or go back.
	// Without such a fault the source's numbers stay.
	Renumber bool
}

// Chapter is one chapter that was found. Its text is Plan.Text[Start:End], heading and all.
type Chapter struct {
	Key        schema.ChapterKey
	Number     int    // -1 for an unnumbered chapter
	Source     int    // the number that the heading gives, -1 when none; differs from Number after renumbering
	Title      string // without number and marks
	Heading    string // the heading line, trimmed; empty when the chapter has none
	File       string // the file it came from, for a folder
	Line       int    // of the heading in its file, from 1
	Start, End int    // byte offsets into Plan.Text
	Volume     int    // position in Plan.Volumes plus 1, 0 for none
	After      string // of an unnumbered chapter: the value for BookState.Order
	Confidence int    // 0 to 100
	Doubt      []schema.Text

	last          int // last number of a range heading
	name, joint   string
	pendingVolume *volumeLine // the volume that begins with this chapter
	volumeLine    int
	newVolume     bool
}

// Doubtful reports a chapter that a person should look at.
func (c *Chapter) Doubtful() bool { return len(c.Doubt) > 0 }

// Numbered reports whether the chapter has a number.
func (c *Chapter) Numbered() bool { return c.Number >= 0 }

// Volume is one volume of the book. First and Last are the chapter numbers that it holds, -1 when it holds none.
type Volume struct {
	Number      int // position in the book, from 1
	Name        string
	Title       string
	Line        int // of its heading, 0 when it was inferred from numbers that restart
	First, Last int
}

// Gap is a run of numbers that the text skips, between two chapters that follow each other.
type Gap struct{ From, To int }

// Plan is what an import would make of a text. The chapters' texts in order are Text, byte for byte.
type Plan struct {
	Text       string
	Chapters   []Chapter
	Volumes    []Volume
	Gaps       []Gap
	Restarts   []int // positions in Chapters at which numbers begin again
	Duplicates []int // positions of chapters whose number came before since the last restart
	Disorder   []int // positions of chapters whose number is lower than the one before, without a restart
	AfterZero  []int // positions of unnumbered chapters behind a chapter 0, a place that state.json cannot say
	Contents   []Span
	Renumbered bool
}

// Span is a range of lines, both ends included.
type Span struct {
	File        string
	First, Last int
}

// TextOf is the text of the chapter at position i.
func (p *Plan) TextOf(i int) string { return p.Text[p.Chapters[i].Start:p.Chapters[i].End] }

// Numbered counts the numbered chapters.
func (p *Plan) Numbered() int {
	n := 0
	for i := range p.Chapters {
		if p.Chapters[i].Numbered() {
			n++
		}
	}
	return n
}

// Faults lists why the plan cannot be imported as it is: numbers that restart, repeat or go back, or are too many
// (DESIGN 4, "Volumes": refused whole with the list). File names the source of a single text.
func (p *Plan) Faults(file string) []schema.Fault {
	var out []schema.Fault
	add := func(i int, rule, format string, args ...any) {
		c := &p.Chapters[i]
		f := file
		if c.File != "" {
			f = c.File
		}
		out = append(out, schema.Fault{File: f, Line: c.Line, Col: 1, Rule: rule, Msg: schema.Textf(format, args...)})
	}
	if p.Renumbered {
		if n := len(p.Chapters); n > 0 && p.Numbered() > MaxNumber {
			add(n-1, "import-too-many", "%d numbered chapters; a book holds at most %d", p.Numbered(), MaxNumber)
		}
		return out
	}
	for _, i := range p.Restarts {
		add(i, "import-restart", "numbers start again at %d: %s", p.Chapters[i].Source, p.Chapters[i].Heading)
	}
	for _, i := range p.Duplicates {
		add(i, "import-duplicate", "number %d is used twice: %s", p.Chapters[i].Source, p.Chapters[i].Heading)
	}
	for _, i := range p.Disorder {
		add(i, "import-disorder", "number %d comes after a higher one: %s", p.Chapters[i].Source, p.Chapters[i].Heading)
	}
	for _, i := range p.AfterZero {
		add(i, "import-after-zero", "an unnumbered chapter cannot stand right behind chapter 0: %s", p.Chapters[i].Heading)
	}
	return out
}

// Err is Faults as one refusal, nil when there is none.
func (p *Plan) Err(file string) error {
	faults := p.Faults(file)
	if len(faults) == 0 {
		return nil
	}
	return schema.Errorf(schema.CodeInvalid, "the chapter numbers of this text do not run through the book").
		WithHint("`git novel import … --renumber` numbers the chapters through the book and records the volumes; `--dry-run` shows what it would do").
		WithDetails(faults...)
}
