package manuscript

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"git-novel/schema"
)

// NamedText is one decoded file of a folder. Name is its path below the folder, slash separated.
type NamedText struct {
	Name string
	Text string
}

// FromFiles makes a plan of a folder: one chapter for each file, by the number in its name or else by its heading, files
// with several headings split further, in the natural order of the names. A sub-folder whose name reads as a volume is
// one. Plan.Text is the files put together in that order, nothing between them.
func FromFiles(files []NamedText, o Options) *Plan {
	sources := arrange(files)
	var all strings.Builder
	var cs []candidate
	for i := range sources {
		s := &sources[i]
		s.start = all.Len()
		cs = append(cs, scan(s.Text, i, s.start)...)
		all.WriteString(s.Text)
		s.end = all.Len()
	}
	p := &Plan{Text: all.String()}
	fs := find(p, cs)
	p.Contents = nil // their lines are those of a file; each is text of its file's chapter
	at := 0
	dir := ""
	blankFrom := -1 // start of blank files that wait for a chapter to belong to
	for i := range sources {
		s := &sources[i]
		if strings.Trim(s.Text, blanks+"\n") == "" {
			if n := len(p.Chapters); n > 0 {
				p.Chapters[n-1].End = s.end
			} else if blankFrom < 0 {
				blankFrom = s.start
			}
			continue
		}
		from := at
		for at < len(fs) && fs[at].file == i {
			at++
		}
		chapters := s.chapters(p.Text, fs[from:at])
		if blankFrom >= 0 {
			chapters[0].Start, blankFrom = blankFrom, -1
		}
		if d := path.Dir(s.Name); len(chapters) > 0 && d != dir {
			dir = d
			if v, ok := folderVolume(path.Base(d)); ok && chapters[0].pendingVolume == nil {
				chapters[0].pendingVolume = &v
			}
		}
		p.Chapters = append(p.Chapters, chapters...)
	}
	settle(p, o)
	return p
}

type source struct {
	NamedText
	start, end int
	info       schema.ChapterFileInfo
	named      bool // the name says a number
	rank       int  // front, numbered, other
}

func arrange(files []NamedText) []source {
	out := make([]source, 0, len(files))
	for _, f := range files {
		s := source{NamedText: f, rank: 2}
		base := path.Base(f.Name)
		info, ok := schema.ParseChapterFile(base)
		if !ok {
			info = schema.ChapterFileInfo{Number: -1, Key: schema.ChapterKey(stem(base))}
		}
		s.info = info
		s.named = info.Number >= 0
		switch {
		case s.named:
			s.rank = 1
		case isFront(strings.TrimLeft(stem(base), ornaments+"0123456789.")):
			s.rank = 0
		}
		out = append(out, s)
	}
	slices.SortStableFunc(out, func(a, b source) int {
		return cmp.Or(
			naturalCompare(path.Dir(a.Name), path.Dir(b.Name)),
			cmp.Compare(a.rank, b.rank),
			cmp.Compare(a.info.Number, b.info.Number),
			naturalCompare(a.Name, b.Name),
		)
	})
	return out
}

func stem(name string) string { return strings.TrimSuffix(name, path.Ext(name)) }

// chapters makes the chapters of one file.
func (s *source) chapters(text string, fs []found) []Chapter {
	numbers := map[string]bool{}
	for i := range fs {
		numbers[fs[i].id(false)] = true
	}
	if len(numbers) > 1 {
		front := schema.ChapterKey(stem(path.Base(s.Name)))
		cs := cut(text, s.start, s.end, fs, front)
		if cs[0].Heading == "" {
			s.nameChapter(&cs[0])
		}
		for i := range cs {
			cs[i].File = s.Name
		}
		return cs
	}
	c := Chapter{Number: -1, Source: -1, Line: 1, Confidence: 100, File: s.Name}
	if len(fs) > 0 {
		c = chapterOf(&fs[0])
		c.pendingVolume, c.volumeLine = fs[0].volume, fs[0].vline
		c.File = s.Name
		if s.named {
			c.Doubt, c.Confidence = nil, 100
		}
	}
	c.Start, c.End = s.start, s.end
	s.nameChapter(&c)
	return []Chapter{c}
}

// nameChapter lets the file's name speak: its number counts before the heading's, its title only when the heading has
// none.
func (s *source) nameChapter(c *Chapter) {
	if s.named {
		if c.Number >= 0 && c.Number != s.info.Number {
			c.Doubt = append(c.Doubt, schema.Textf("the file name says %d, the heading says %d", s.info.Number, c.Number))
		}
		c.Number, c.last = s.info.Number, s.info.Number
		if c.Source < 0 {
			c.Source = s.info.Number
		}
	}
	if c.Title == "" {
		c.Title = s.info.Title
	}
	if c.Number < 0 && c.name == "" {
		if h, ok := readHeading(stem(path.Base(s.Name))); ok && h.kind == kindNamed {
			c.Key, c.name, c.joint = "", h.name, h.joint
			c.Title = h.title
			return
		}
		c.name, c.Key, c.Title = stem(path.Base(s.Name)), "", ""
		c.Doubt = append(c.Doubt, schema.Textf("neither the file name nor a heading gives a number"))
	}
}

// folderVolume reads a folder's name as a volume.
func folderVolume(name string) (volumeLine, bool) {
	h, ok := readHeading(name)
	if !ok || h.kind != kindVolume && h.kind != kindSection {
		return volumeLine{}, false
	}
	return volumeLine{name: h.name, title: h.title}, true
}

// naturalCompare orders names as people count: 第2卷 before 第10卷, 第二卷 before 第十卷.
func naturalCompare(a, b string) int {
	for a != "" && b != "" {
		na, pa := numeralSpan(a)
		nb, pb := numeralSpan(b)
		if na > 0 && nb > 0 {
			va, vb := numeralValue(pa), numeralValue(pb)
			if va >= 0 && vb >= 0 {
				if va != vb {
					return cmp.Compare(va, vb)
				}
				a, b = a[na:], b[nb:]
				continue
			}
		}
		ra, rb := []rune(a[:min(4, len(a))])[0], []rune(b[:min(4, len(b))])[0]
		if ra != rb {
			return cmp.Compare(ra, rb)
		}
		a, b = a[len(string(ra)):], b[len(string(rb)):]
	}
	return cmp.Compare(len(a), len(b))
}
