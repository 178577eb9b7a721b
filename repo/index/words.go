package index

import (
	"encoding/binary"
	"slices"
	"unicode"
)

// The word index holds, for each text, the characters and the pairs of neighbouring characters in it: Chinese has no blanks
// between words, and the common word has two characters. A word is looked for by its pairs; whoever asks reads the texts that
// have all of them and looks whether the word is there. Texts have numbers; a segment holds segmentDocs of them, spread over
// pages by the hash of the token, so that a question reads one small page of each segment.
const (
	segmentDocs = 256
	pages       = 128
	maxTokens   = 48 // of one question; more pairs exclude nothing further
)

// Token is a character or a pair of them, hashed.
type Token uint32

// FoldRune makes runes equal that a reader takes for one: letter case, full and half width. A text keeps its length in runes.
func FoldRune(r rune) rune {
	if r >= 0xFF01 && r <= 0xFF5E {
		r -= 0xFEE0
	}
	if r < 0x80 {
		if r >= 'A' && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}
	if r < 0x2E80 {
		return unicode.ToLower(r)
	}
	return r
}

// Fold folds every rune of a text.
func Fold(s string) []rune {
	out := make([]rune, 0, len(s)/2)
	for _, r := range s {
		out = append(out, FoldRune(r))
	}
	return out
}

func isWord(r rune) bool {
	if r >= 0x4e00 && r <= 0x9fff {
		return true
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

func pair(a, b rune) Token {
	h := uint32(a)*0x9E3779B1 ^ uint32(b)*0x85EBCA6B //nolint:gosec // a hash
	h ^= h >> 15
	h *= 0x2C1B3CE5
	return Token(h ^ h>>12)
}

// Tokens lists the tokens of a text, in its order and with repetitions.
func Tokens(text string) []Token {
	out := make([]Token, 0, len(text))
	last := rune(0)
	for _, r := range text {
		r = FoldRune(r)
		if !isWord(r) {
			last = 0
			continue
		}
		out = append(out, pair(r, 0))
		if last != 0 {
			out = append(out, pair(last, r))
		}
		last = r
	}
	return out
}

// wanted lists the tokens that a text with the words must have: the pairs, and characters that stand alone.
func wanted(words []string) []Token {
	var out []Token
	for _, w := range words {
		var run []rune
		flush := func() {
			if len(run) == 1 {
				out = append(out, pair(run[0], 0))
			}
			for i := 1; i < len(run); i++ {
				out = append(out, pair(run[i-1], run[i]))
			}
			run = run[:0]
		}
		for _, r := range w {
			if r = FoldRune(r); isWord(r) {
				run = append(run, r)
			} else {
				flush()
			}
		}
		flush()
	}
	slices.Sort(out)
	out = slices.Compact(out)
	return out[:min(len(out), maxTokens)]
}

// Doc is a text for the word index.
type Doc struct {
	ID   int
	Text []string // it may be in pieces; no pair goes over a border
}

// WordWriter puts texts into the word index, in the order of their numbers, which must be new.
type WordWriter struct {
	b       *Book
	segment int
	tokens  [pages][]uint64 // token and number in the segment
	any     bool
}

// NewWordWriter begins to put texts into a book's word index.
func (b *Book) NewWordWriter() *WordWriter { return &WordWriter{b: b} }

// Put adds a text.
func (w *WordWriter) Put(d Doc) error {
	if s := d.ID / segmentDocs; s != w.segment || !w.any {
		if err := w.Flush(); err != nil {
			return err
		}
		w.segment, w.any = s, true
	}
	local := uint64(d.ID % segmentDocs) //nolint:gosec // not negative
	for _, t := range d.Text {
		for _, tok := range Tokens(t) {
			p := tok % pages
			w.tokens[p] = append(w.tokens[p], uint64(tok)<<8|local)
		}
	}
	return nil
}

// Flush stores the segment that is being filled, together with what it held before.
func (w *WordWriter) Flush() error {
	if !w.any {
		return nil
	}
	for p := range w.tokens {
		list := w.tokens[p]
		w.tokens[p] = list[:0]
		if len(list) == 0 && p != 0 {
			continue
		}
		old, err := w.b.Page(w.segment, p)
		if err != nil {
			return err
		}
		if list, err = appendPage(list, old); err != nil {
			return err
		}
		slices.Sort(list)
		if err := w.b.PutPage(w.segment, p, encodePage(slices.Compact(list))); err != nil {
			return err
		}
	}
	w.any = false
	return nil
}

// encodePage writes sorted tokens: the distance from the token before, how many texts, and the texts' distances.
func encodePage(list []uint64) []byte {
	var out []byte
	last := uint64(0)
	for i := 0; i < len(list); {
		tok := list[i] >> 8
		n := i
		for n < len(list) && list[n]>>8 == tok {
			n++
		}
		out = binary.AppendUvarint(out, tok-last)
		out = binary.AppendUvarint(out, uint64(n-i)) //nolint:gosec // not negative
		for ; i < n; i++ {
			out = append(out, byte(list[i]))
		}
		last = tok
	}
	return out
}

// appendPage reads a page.
func appendPage(list []uint64, page []byte) ([]uint64, error) {
	err := eachToken(page, func(tok uint64, docs []byte) bool {
		for _, d := range docs {
			list = append(list, tok<<8|uint64(d))
		}
		return true
	})
	return list, err
}

func eachToken(page []byte, fn func(tok uint64, docs []byte) bool) error {
	tok := uint64(0)
	for len(page) > 0 {
		d, k := binary.Uvarint(page)
		if k <= 0 {
			return Bad(nil)
		}
		n, k2 := binary.Uvarint(page[k:])
		if k2 <= 0 || n > uint64(len(page)-k-k2) {
			return Bad(nil)
		}
		tok += d
		page = page[k+k2:]
		if !fn(tok, page[:n]) {
			return nil
		}
		page = page[n:]
	}
	return nil
}

// Find lists the numbers of the texts, below last, that may hold all of the words, ascending. Words without any letter or
// digit give false: they exclude nothing.
func (b *Book) Find(words []string, last int) ([]int, bool, error) {
	tokens := wanted(words)
	if len(tokens) == 0 {
		return nil, false, nil
	}
	var out []int
	for segment := 0; segment*segmentDocs < last; segment++ {
		var both [segmentDocs / 64]uint64
		for i, tok := range tokens {
			page, err := b.Page(segment, int(tok%pages))
			if err != nil {
				return nil, true, err
			}
			var set [segmentDocs / 64]uint64
			err = eachToken(page, func(t uint64, docs []byte) bool {
				if t == uint64(tok) {
					for _, d := range docs {
						set[d/64] |= 1 << (d % 64)
					}
				}
				return t < uint64(tok)
			})
			if err != nil {
				return nil, true, err
			}
			rest := uint64(0)
			for j := range both {
				if i == 0 {
					both[j] = set[j]
				} else {
					both[j] &= set[j]
				}
				rest |= both[j]
			}
			if rest == 0 {
				break
			}
		}
		for d := range segmentDocs {
			if both[d/64]&(1<<(d%64)) != 0 {
				out = append(out, segment*segmentDocs+d)
			}
		}
	}
	return out, true, nil
}
