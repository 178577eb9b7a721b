package state

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"git-novel/schema"
)

// shelf is a library in memory: the tree as it is now, and every blob that ever was.
type shelf struct {
	t     testing.TB
	files map[string]schema.OID
	modes map[string]Mode
	blobs map[schema.OID][]byte
	texts int
}

const shelfBook = schema.BookName("雨夜灯")

func newShelf(t testing.TB) *shelf {
	return &shelf{t: t, files: map[string]schema.OID{}, modes: map[string]Mode{}, blobs: map[schema.OID][]byte{}}
}

func (s *shelf) put(path string, data []byte) schema.OID {
	id := schema.HashBlob(data)
	s.blobs[id], s.files[path] = data, id
	return id
}

func (s *shelf) putJSON(path string, v any) {
	data, err := schema.Marshal(v)
	if err != nil {
		s.t.Fatal(err)
	}
	s.put(path, data)
}

func (s *shelf) getJSON(path string, v any) bool {
	id, ok := s.files[path]
	if !ok {
		return false
	}
	if err := schema.Unmarshal(path, s.blobs[id], v); err != nil {
		s.t.Fatal(err)
	}
	return true
}

func (s *shelf) ReadBlob(id schema.OID) ([]byte, error) {
	data, ok := s.blobs[id]
	if !ok {
		return nil, schema.Errorf(schema.CodeNotFound, "no blob %s", id)
	}
	return data, nil
}

// tree is a frozen shelf.
type tree map[string]schema.OID

func (s *shelf) tree() tree { return maps.Clone(s.files) }

func (t tree) Blob(path string) (schema.OID, bool, error) {
	id, ok := t[path]
	return id, ok, nil
}

func (t tree) List(dir string) ([]Entry, error) {
	seen := map[string]Entry{}
	for p, id := range t {
		rest, ok := strings.CutPrefix(p, dir+"/")
		if !ok {
			continue
		}
		name, _, deep := strings.Cut(rest, "/")
		e := Entry{Name: name, Mode: ModeFile, ID: id}
		if deep {
			e = Entry{Name: name, Mode: ModeDir}
		}
		seen[name] = e
	}
	return slices.SortedFunc(maps.Values(seen), func(a, b Entry) int { return cmp.Compare(a.Name, b.Name) }), nil
}

// step is the difference of two trees.
func (s *shelf) step(from, to tree) Step {
	var list []Change
	paths := maps.Clone(from)
	maps.Copy(paths, to)
	for _, p := range slices.Sorted(maps.Keys(paths)) {
		if from[p] != to[p] {
			mode := ModeFile
			if m, ok := s.modes[p]; ok {
				mode = m
			}
			list = append(list, Change{Path: p, Old: from[p], New: to[p], Mode: mode})
		}
	}
	return Step{Changes: list, Blobs: s, Edited: lcsEdits, Parent: from}
}

// lcsEdits counts a minimal diff the slow and plain way.
func lcsEdits(a, b string) (inserted, deleted int) {
	x, y := utf16.Encode([]rune(a)), utf16.Encode([]rune(b))
	row := make([]int, len(y)+1)
	for _, u := range x {
		diagonal := 0
		for j, v := range y {
			up := row[j+1]
			if u == v {
				row[j+1] = diagonal + 1
			} else {
				row[j+1] = max(up, row[j])
			}
			diagonal = up
		}
	}
	return len(y) - row[len(y)], len(x) - row[len(y)]
}

// The honest operations follow: each leaves the tree as one legal commit would.

func (s *shelf) state() *schema.BookState {
	st := &schema.BookState{Book: string(shelfBook), Progress: schema.Progress{ChapterStatus: map[string]schema.State{}}}
	s.getJSON(schema.BookStatePath(shelfBook), st)
	return st
}

func (s *shelf) setState(id string, to schema.State) {
	st := s.state()
	if to == schema.StateNone {
		delete(st.Progress.ChapterStatus, id)
	} else {
		st.Progress.ChapterStatus[id] = to
	}
	s.fixCurrent(st)
	s.putJSON(schema.BookStatePath(shelfBook), st)
}

func (s *shelf) fixCurrent(st *schema.BookState) {
	st.Progress.CurrentChapter = 0
	for id, w := range st.Progress.ChapterStatus {
		if n, ok := schema.KeyOfID(id).Number(); ok && w == schema.StateCommitted {
			st.Progress.CurrentChapter = max(st.Progress.CurrentChapter, n)
		}
	}
}

func (s *shelf) newBook() { s.putJSON(schema.BookStatePath(shelfBook), s.state()) }

// path finds the chapter's file, or makes a name for it.
func (s *shelf) path(key schema.ChapterKey) string {
	for _, p := range slices.Sorted(maps.Keys(s.files)) {
		info := schema.ParsePath(p)
		if info.Kind != schema.PathChapter || info.Book != shelfBook {
			continue
		}
		if f, ok := schema.ParseChapterFile(info.Name); ok && f.Key == key {
			return p
		}
	}
	return schema.ChapterPath(shelfBook, string(key)+".md")
}

func (s *shelf) text(key schema.ChapterKey) string { return string(s.blobs[s.files[s.path(key)]]) }

func (s *shelf) setText(key schema.ChapterKey, text string) { s.put(s.path(key), []byte(text)) }

// freshText is a text like no other.
func (s *shelf) freshText(key schema.ChapterKey) string {
	s.texts++
	return fmt.Sprintf("# %s 雨夜\n\n第%d稿。", key, s.texts) + strings.Repeat(fmt.Sprintf("雨打在灯上%d，他没有回头。\n", s.texts), 12)
}

func (s *shelf) binding(key schema.ChapterKey) schema.Binding {
	p := s.path(key)
	return schema.Binding{Path: p, Blob: s.files[p], Chars: schema.UTF16Len(string(s.blobs[s.files[p]]))}
}

func (s *shelf) save(key schema.ChapterKey, text string) {
	if s.state().Progress.ChapterStatus[key.ID()] == schema.StateNone {
		s.setState(key.ID(), schema.StateDrafted)
	}
	s.setText(key, text)
}

func someIssue(blocking bool) schema.Issue {
	return schema.Issue{
		ID: "i1", Severity: schema.SeverityHigh, Category: schema.CategoryPacing, Location: "第1段", Description: "拖", Evidence: "雨",
		Blocking: blocking,
	}
}

func (s *shelf) reviewDoc(key schema.ChapterKey, ai bool, list ...schema.Issue) *schema.Review {
	old := &schema.Review{}
	s.getJSON(schema.ReviewPath(shelfBook, key.ID()), old)
	r := &schema.Review{
		Schema: schema.SchemaReview, Book: string(shelfBook), Chapter: key.ID(), Round: old.Round + 1, Run: fmt.Sprintf("r-%d", s.texts),
		Producer: "agent:reviewer", Depth: schema.DepthAgent, Binding: schema.BindingTask, Text: s.binding(key),
		Dimensions: schema.Dimensions{}, Issues: list,
	}
	dims := schema.FullDimensions()
	if ai {
		dims = append(dims, schema.CategoryAIFlavor)
	}
	for _, d := range dims {
		r.Dimensions[d] = 0
	}
	for _, i := range list {
		r.Dimensions[i.Category]++
	}
	r.IssuesCount, r.Blocking = len(list), r.OpenBlocking()
	r.HasBlocking = r.Blocking > 0
	return r
}

// review records a full review and advances the chapter when the evidence is complete.
func (s *shelf) review(key schema.ChapterKey, ai bool, list ...schema.Issue) {
	r := s.reviewDoc(key, ai, list...)
	s.putJSON(schema.ReviewPath(shelfBook, key.ID()), r)
	var k schema.Recheck
	if s.getJSON(schema.RecheckPath(shelfBook, key.ID()), &k) && SupersedesRecheck(ReviewOf(r), RecheckOf(&k)) {
		delete(s.files, schema.RecheckPath(shelfBook, key.ID()))
	}
	s.advance(key)
}

func (s *shelf) recheck(key schema.ChapterKey) {
	s.putJSON(schema.RecheckPath(shelfBook, key.ID()), &schema.Recheck{
		Schema: schema.SchemaRecheck, Book: string(shelfBook), Chapter: key.ID(), Task: "t-1", Run: fmt.Sprintf("k-%d", s.texts),
		Producer: "agent:reviewer", Depth: schema.DepthAgent, Text: s.binding(key),
		Dimensions: schema.Dimensions{schema.CategoryAIFlavor: 0},
	})
	s.advance(key)
}

// gaps asks the rules, as a command would.
func (s *shelf) gaps(key schema.ChapterKey) []schema.Fault {
	var r schema.Review
	var k schema.Recheck
	c := Chapter{Key: key, Text: s.binding(key).Blob}
	if s.getJSON(schema.ReviewPath(shelfBook, key.ID()), &r) {
		c.Review = ReviewOf(&r)
		if old, ok := s.blobs[r.Text.Blob]; ok {
			c.Polish = Counted(lcsEdits(string(old), s.text(key)))
		}
	}
	if s.getJSON(schema.RecheckPath(shelfBook, key.ID()), &k) {
		c.Recheck = RecheckOf(&k)
	}
	return c.Gaps(DefaultRules())
}

func (s *shelf) advance(key schema.ChapterKey) {
	if s.state().Progress.ChapterStatus[key.ID()] == schema.StateDrafted && len(s.gaps(key)) == 0 {
		s.setState(key.ID(), schema.StateReviewed)
	}
}

func (s *shelf) summarise(key schema.ChapterKey) {
	var all schema.Summaries
	s.getJSON(schema.SummariesPath(shelfBook), &all)
	all.Book = string(shelfBook)
	slot, _ := schema.SummaryKey(string(key))
	all.Entries = append(all.Entries, schema.SummaryEntry{Chapter: slot, Summary: "他没有回头。"})
	s.putJSON(schema.SummariesPath(shelfBook), &all)
}

func (s *shelf) commitDoc(key schema.ChapterKey) *schema.Commit {
	var r schema.Review
	s.getJSON(schema.ReviewPath(shelfBook, key.ID()), &r)
	d := &schema.ReviewDigest{Round: r.Round, Overrides: []schema.OverrideDigest{}, Waived: []schema.Waiver{}}
	var k schema.Recheck
	if s.getJSON(schema.RecheckPath(shelfBook, key.ID()), &k) {
		d.Recheck = k.Run
	}
	for _, i := range r.Issues {
		if i.Override != nil {
			d.Overrides = append(d.Overrides, schema.OverrideDigest{Issue: i.ID, Reason: i.Override.Reason, By: i.Override.By})
		}
	}
	return &schema.Commit{
		Schema: schema.SchemaCommit, Book: string(shelfBook), Chapter: key.ID(), Revision: 1, Status: schema.StatusAccepted,
		Text: s.binding(key), Review: d, ReviewResult: &r, Fulfillment: &schema.Fulfillment{},
		Disambiguation: &schema.Disambiguation{}, Extraction: &schema.Extraction{SummaryText: "他没有回头。"},
	}
}

func (s *shelf) commit(key schema.ChapterKey) {
	s.putJSON(schema.CommitPath(shelfBook, key.ID()), s.commitDoc(key))
	s.summarise(key)
	s.setState(key.ID(), schema.StateCommitted)
}

// write takes a chapter through all states in one go.
func (s *shelf) write(key schema.ChapterKey) {
	s.save(key, s.freshText(key))
	s.review(key, true)
	s.commit(key)
}

func (s *shelf) adopt(key schema.ChapterKey) {
	s.setText(key, s.freshText(key))
	s.putJSON(schema.CommitPath(shelfBook, key.ID()), &schema.Commit{
		Schema: schema.SchemaCommit, Book: string(shelfBook), Chapter: key.ID(), Revision: 1, Status: schema.StatusAccepted,
		Origin: schema.OriginAdopted, Text: s.binding(key),
	})
	s.setState(key.ID(), schema.StateCommitted)
}

// revise rewrites the chapter commit of a chapter.
func (s *shelf) revise(key schema.ChapterKey, change func(c *schema.Commit)) {
	var c schema.Commit
	s.getJSON(schema.CommitPath(shelfBook, key.ID()), &c)
	change(&c)
	s.putJSON(schema.CommitPath(shelfBook, key.ID()), &c)
}

func (s *shelf) retcon(key schema.ChapterKey, text string) {
	s.setText(key, text)
	var old schema.Commit
	s.getJSON(schema.CommitPath(shelfBook, key.ID()), &old)
	if old.Adopted() {
		s.revise(key, func(c *schema.Commit) {
			c.Text, c.Base, c.Reason, c.Revision = s.binding(key), nil, "改", c.Revision+1
		})
		return
	}
	s.putJSON(schema.ReviewPath(shelfBook, key.ID()), s.reviewDoc(key, true))
	delete(s.files, schema.RecheckPath(shelfBook, key.ID()))
	c := s.commitDoc(key)
	c.Revision, c.Reason, c.Carried = old.Revision+1, "改", true
	s.putJSON(schema.CommitPath(shelfBook, key.ID()), c)
}

func (s *shelf) typo(key schema.ChapterKey, text string) {
	s.setText(key, text)
	s.revise(key, func(c *schema.Commit) {
		if c.Base == nil {
			c.Base = &schema.Binding{Path: c.Text.Path, Blob: c.Text.Blob, Chars: c.Text.Chars}
		}
		c.Text, c.Revision = s.binding(key), c.Revision+1
	})
}

// rename moves the file, rewrites the heading and re-binds the records.
func (s *shelf) rename(key schema.ChapterKey, title string) {
	old := s.path(key)
	oldText := s.files[old]
	text := fmt.Sprintf("# %s %s\n", key, title) + Body(key, s.text(key))
	delete(s.files, old)
	path := schema.ChapterPath(shelfBook, string(key)+" "+title+".md")
	now := s.put(path, []byte(text))
	bind := func(b *schema.Binding) {
		if b != nil && b.Blob == oldText {
			*b = schema.Binding{Path: path, Blob: now, Chars: schema.UTF16Len(text)}
		}
	}
	var r schema.Review
	if s.getJSON(schema.ReviewPath(shelfBook, key.ID()), &r) {
		bind(&r.Text)
		s.putJSON(schema.ReviewPath(shelfBook, key.ID()), &r)
	}
	var k schema.Recheck
	if s.getJSON(schema.RecheckPath(shelfBook, key.ID()), &k) {
		bind(&k.Text)
		s.putJSON(schema.RecheckPath(shelfBook, key.ID()), &k)
	}
	if _, ok := s.files[schema.CommitPath(shelfBook, key.ID())]; ok {
		s.revise(key, func(c *schema.Commit) {
			bind(&c.Text)
			bind(c.Base)
			if c.ReviewResult != nil {
				bind(&c.ReviewResult.Text)
			}
		})
	}
}

func (s *shelf) leave(key schema.ChapterKey) {
	delete(s.files, s.path(key))
	for _, p := range []string{schema.ReviewPath(shelfBook, key.ID()), schema.RecheckPath(shelfBook, key.ID()), schema.CommitPath(shelfBook, key.ID())} {
		delete(s.files, p)
	}
	s.setState(key.ID(), schema.StateNone)
}
