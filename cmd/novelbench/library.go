package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	bookName       = "雨夜灯"
	chapterChars   = 2300
	paragraphChars = 90
	small          = 100
	medium         = 2000
	large          = 9999
)

// writer makes prose whose entropy is that of Chinese novels: characters by rank after Zipf's law, sentences and paragraphs
// of usual lengths. Random text with a flat distribution would hardly deflate and make every program wait for zlib.
type writer struct {
	r   *rand.Rand
	cdf []float64
}

const characters = 2600

func newWriter(seed int) *writer {
	w := &writer{r: rand.New(rand.NewPCG(uint64(seed), 42)), cdf: make([]float64, characters)}
	sum := 0.0
	for i := range characters {
		sum += 1 / math.Pow(float64(i)+8, 1.05)
		w.cdf[i] = sum
	}
	for i := range w.cdf {
		w.cdf[i] /= sum
	}
	return w
}

// char gives a Han character; neighbouring ranks are spread over the block, as the frequent characters of the language are.
func (w *writer) char() rune {
	x := w.r.Float64()
	lo, hi := 0, characters-1
	for lo < hi {
		if mid := (lo + hi) / 2; w.cdf[mid] < x {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return rune(0x4e00 + lo*7%20000)
}

func (w *writer) words(b *strings.Builder, n int) {
	for range n {
		b.WriteRune(w.char())
	}
}

// sentence writes a sentence and gives its length in characters.
func (w *writer) sentence(b *strings.Builder) int {
	n, clauses := 0, 1+w.r.IntN(3)
	speech := w.r.IntN(5) == 0
	if speech {
		b.WriteString("“")
		n += 2
	}
	for k := range clauses {
		size := 4 + w.r.IntN(10)
		w.words(b, size)
		n += size + 1
		if k+1 < clauses {
			b.WriteString("，")
		}
	}
	b.WriteString([]string{"。", "。", "。", "！", "？"}[w.r.IntN(5)])
	if speech {
		b.WriteString("”")
	}
	return n
}

// chapter writes a chapter of about chapterChars characters, with its heading.
func (w *writer) chapter(number int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "第%d章 ", number)
	w.words(&b, 4)
	b.WriteString("\n\n")
	for n := 0; n < chapterChars; {
		b.WriteString("\u3000\u3000")
		for p := 0; p < paragraphChars && n < chapterChars; {
			k := w.sentence(&b)
			p += k
			n += k
		}
		b.WriteString("\n\n")
	}
	return b.String()
}

// novelFile writes a whole novel into one text file and gives its path. One chapter of the small one is the text of P8.
func (b *bench) novelFile(chapters int) (string, error) {
	path := filepath.Join(b.dir, fmt.Sprintf("novel-%d.txt", chapters))
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	w := newWriter(chapters)
	var text strings.Builder
	for i := 1; i <= chapters; i++ {
		if chapters == small && i == diffChapter {
			text.WriteString(diffText(w))
			continue
		}
		text.WriteString(w.chapter(i))
	}
	return path, os.WriteFile(path, []byte(text.String()), 0o600)
}

// novelFolder writes a novel as one file a chapter: a text of 9,999 chapters is larger than one file may be.
func (b *bench) novelFolder(chapters int) (string, error) {
	dir := filepath.Join(b.dir, fmt.Sprintf("novel-%d", chapters))
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	w := newWriter(chapters)
	for i := 1; i <= chapters; i++ {
		path := filepath.Join(dir, fmt.Sprintf("第%04d章.txt", i))
		if err := os.WriteFile(path, []byte(w.chapter(i)), 0o600); err != nil {
			return "", err
		}
	}
	return dir, nil
}

// library gives the base library of that many chapters, building it once. Only P1 writes to one.
func (b *bench) library(ctx context.Context, chapters int) (string, error) {
	if dir, ok := b.libs[chapters]; ok {
		return dir, nil
	}
	source, err := b.novelFile(min(chapters, medium))
	if chapters > medium {
		source, err = b.novelFolder(chapters)
	}
	if err != nil {
		return "", err
	}
	dir := filepath.Join(b.dir, fmt.Sprintf("library-%d", chapters))
	if err := os.RemoveAll(dir); err != nil {
		return "", err
	}
	begin := time.Now()
	if _, _, err := b.novel(ctx, b.dir, "init", dir); err != nil {
		return "", err
	}
	if _, _, err := b.novel(ctx, dir, "import", source, "--book", bookName); err != nil {
		return "", err
	}
	if err := b.addSummaries(ctx, dir, chapters); err != nil {
		return "", err
	}
	if err := b.settle(ctx, dir); err != nil {
		return "", err
	}
	b.log.say("a library of %d chapters is ready (%.1f s)", chapters, time.Since(begin).Seconds())
	b.libs[chapters] = dir
	return dir, nil
}

// addSummaries gives every chapter a summary, as a serial has that was written with the tool: the summaries file grows with
// the book, and a chapter commit rewrites it.
func (b *bench) addSummaries(ctx context.Context, dir string, chapters int) error {
	type entry struct {
		Chapter     string   `json:"chapter"`
		Summary     string   `json:"summary"`
		KeyEvents   []string `json:"keyEvents"`
		KeySettings []string `json:"keySettings"`
		UpdatedAt   string   `json:"updatedAt"`
	}
	file := struct {
		Book      string  `json:"book"`
		Summaries []entry `json:"summaries"`
	}{Book: bookName}
	w := newWriter(chapters + 1)
	line := func(n int) string {
		var s strings.Builder
		w.words(&s, n)
		return s.String()
	}
	for i := 1; i <= chapters; i++ {
		file.Summaries = append(file.Summaries, entry{
			Chapter: fmt.Sprintf("第%02d章", i), Summary: line(110) + "。", KeyEvents: []string{line(14), line(12)},
			KeySettings: []string{line(9)},
			UpdatedAt:   time.Date(2026, 1, 1, 0, i, 0, 0, time.UTC).Format("2006-01-02T15:04:05.000Z"),
		})
	}
	data, err := json.MarshalIndent(file, "", "  ")
	if err != nil {
		return err
	}
	path := ".novel-writer/summaries/" + bookName + ".json"
	full := filepath.Join(dir, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(full, data, 0o644); err != nil { //nolint:gosec // like the tool's own files
		return err
	}
	_, err = b.addCommit(ctx, dir, "summaries", []string{path})
	return err
}

// diffChapter is the chapter of the small library that P8 compares: 34 paragraphs, 10,000 characters.
const (
	diffChapter    = 50
	diffParagraphs = 34
	diffChars      = 10000
	diffEdits      = 200
)

func diffText(w *writer) string {
	var b strings.Builder
	fmt.Fprintf(&b, "第%d章 ", diffChapter)
	w.words(&b, 4)
	b.WriteString("\n\n")
	for range diffParagraphs - 1 {
		b.WriteString("\u3000\u3000")
		for n := 0; n < diffChars/(diffParagraphs-1)-10; {
			n += w.sentence(&b)
		}
		b.WriteString("\n\n")
	}
	return b.String()
}

// scatter makes single edits at random places: a character replaced, inserted or deleted. Line ends and indentation stay.
func scatter(text string, edits int, w *writer) string {
	runes := []rune(text)
	for done := 0; done < edits; {
		i := w.r.IntN(len(runes))
		if runes[i] < 0x4e00 {
			continue
		}
		switch done % 3 {
		case 0:
			runes[i] = w.char()
		case 1:
			runes = append(runes[:i], append([]rune{w.char()}, runes[i:]...)...)
		default:
			runes = append(runes[:i], runes[i+1:]...)
		}
		done++
	}
	return string(runes)
}
