package workflow

import (
	"encoding/json"
	"math"
	"strings"
	"time"

	"git-novel/repo"
	"git-novel/repo/gitstore"
	"git-novel/repo/index"
	"git-novel/schema"
	"git-novel/workflow/memory"
	"git-novel/workflow/review"
)

// Kinds of things in the index.
const (
	thingChapter = "chapter" // by id: knownChapter
	thingSummary = "summary" // by slot: schema.SummaryEntry
	thingSignal  = "signal"  // by id: ReadingPower
	thingReview  = "review"  // by id: knownReview
	thingBook    = "book"    // one: knownProgress
	thingDamaged = "damaged" // by id: commit records that cannot be read

	endPos = int64(math.MaxInt64)
)

// knownChapter is what the index knows of a chapter of state.json.
type knownChapter struct {
	State   schema.State `json:"state"`
	Records schema.OID   `json:"records"` // tree of its record folder
	Step    schema.OID   `json:"step"`    // its commit record, when that is part of the memory
	Path    string       `json:"path"`    // of its text, as its records have it; "" when they do not say
}

// knownProgress is what is counted over all chapters.
type knownProgress struct {
	Current   int      `json:"current_chapter"`
	Chapters  int      `json:"chapters"`
	Committed int      `json:"committed"`
	Reviewed  int      `json:"reviewed"`
	Drafted   int      `json:"drafted"`
	Debt      []string `json:"debt"` // ids of reviewed chapters
}

// knownReview is a review that counts, with the blob that holds it.
type knownReview struct {
	Blob schema.OID        `json:"blob"`
	Row  review.MetricsRow `json:"row"`
}

// memoryPart is the folded memory of a book, its chapters, reviews and reading power: all that the records and state.json
// say.
type memoryPart struct{}

func (memoryPart) name() string { return "memory" }

func (memoryPart) mark(k *known) (string, error) {
	st, ok, err := k.snap.Blob(schema.BookStatePath(k.name))
	if err != nil || !ok {
		return "", err
	}
	tree, err := k.snap.TreeOf(schema.RecordsDir(k.name))
	return st.String() + " " + tree.String(), err
}

// chapterPlace is a chapter of the book with its place.
type chapterPlace struct {
	key     schema.ChapterKey
	pos     int64
	state   schema.State
	records schema.OID
}

// places lists the chapters of state.json in the order of the book, with their record folders.
func (k *known) places() (*schema.BookState, []chapterPlace, error) {
	path := schema.BookStatePath(k.name)
	data, _, err := k.snap.Read(path)
	if err != nil {
		return nil, nil, err
	}
	st := new(schema.BookState)
	if err := schema.Unmarshal(path, data, st); err != nil {
		return nil, nil, schema.Wrap(err, schema.CodeInvalid, "%s is damaged", path).
			WithHint("`git novel recover` brings the last good version back")
	}
	entries, err := k.snap.List(schema.RecordsDir(k.name))
	if err != nil {
		return nil, nil, err
	}
	records := make(map[string]schema.OID, len(entries))
	for _, e := range entries {
		if e.IsDir() {
			records[e.Name] = e.ID
		}
	}
	keys := make([]schema.ChapterKey, 0, len(st.Progress.ChapterStatus))
	for id := range st.Progress.ChapterStatus {
		keys = append(keys, schema.KeyOfID(id))
	}
	out := make([]chapterPlace, 0, len(keys))
	number, place := 0, 0
	for _, key := range repo.OrderKeys(keys, st.Order) {
		if n, ok := key.Number(); ok {
			number, place = n, 0
		} else {
			place++
		}
		id := key.ID()
		out = append(out, chapterPlace{key, memory.PosOf(number, place), st.Progress.ChapterStatus[id], records[id]})
	}
	return st, out, nil
}

func (m memoryPart) refresh(k *known, _, _ string) error {
	st, chapters, err := k.places()
	if err != nil {
		return err
	}
	old, err := k.chapters()
	if err != nil {
		return err
	}
	dirty := endPos // the first place whose facts are no longer what the records say
	steps := map[string]schema.OID{}
	progress := knownProgress{Current: st.Progress.CurrentChapter, Chapters: len(chapters), Debt: []string{}}
	for _, c := range chapters {
		id := c.key.ID()
		progress.count(id, c.state)
		was, known := old[id]
		delete(old, id)
		now := knownChapter{State: c.state, Records: c.records, Step: was.Step, Path: was.Path}
		if known && was.knownChapter == now && was.pos == c.pos {
			steps[id] = now.Step
			continue
		}
		if now.Step, now.Path, err = k.readRecords(c); err != nil {
			return err
		}
		steps[id] = now.Step
		if now.Step != was.Step || known && was.pos != c.pos {
			dirty = min(dirty, c.pos)
			if known {
				dirty = min(dirty, was.pos)
			}
		}
		if err := k.put(thingChapter, id, c.pos, now); err != nil {
			return err
		}
	}
	for id, was := range old { // discarded, retracted, renamed
		for _, kind := range []string{thingChapter, thingSignal, thingReview, thingDamaged} {
			if err := k.book.Drop(kind, id); err != nil {
				return err
			}
		}
		if !was.Step.IsZero() {
			dirty = min(dirty, was.pos)
		}
	}
	if err := k.put(thingBook, "", 0, progress); err != nil || dirty == endPos {
		return err
	}
	return k.fold(chapters, steps, dirty)
}

func (p *knownProgress) count(id string, s schema.State) {
	switch s {
	case schema.StateCommitted:
		p.Committed++
	case schema.StateReviewed:
		p.Reviewed++
		p.Debt = append(p.Debt, id)
	case schema.StateDrafted:
		p.Drafted++
	case schema.StateNone:
	}
}

// fold takes the memory back to a place and folds the records from there on.
func (k *known) fold(chapters []chapterPlace, steps map[string]schema.OID, from int64) error {
	f := facts{k.book}
	if err := f.forget(from); err != nil {
		return err
	}
	last, err := k.book.LastSeq()
	if err != nil {
		return err
	}
	w := memory.NewWriter(f, last)
	for _, c := range chapters {
		id := c.key.ID()
		if c.pos < from || steps[id].IsZero() {
			continue
		}
		rec := new(schema.Commit)
		if err := k.readRecord(schema.CommitPath(k.name, id), steps[id], rec); err != nil {
			return err // it could be read a moment ago
		}
		number, place := int(c.pos>>20), int(c.pos&(1<<20-1))
		if err := w.Put(memory.Step{ID: id, Number: number, Place: place, Commit: rec}); err != nil {
			return err
		}
	}
	_, err = w.Flush()
	return err
}

func (k *known) readRecord(path string, blob schema.OID, into any) error {
	data, err := k.snap.BlobBytes(path, blob)
	if err != nil {
		return err
	}
	return schema.Unmarshal(path, data, into)
}

// readRecords reads the records of a chapter: it stores what its review and its reading power say, and gives the commit
// record that is a step of the memory, and where the text lies. A record that cannot be read is noted and left out.
func (k *known) readRecords(c chapterPlace) (step schema.OID, path string, err error) {
	id := c.key.ID()
	for _, kind := range []string{thingSignal, thingReview, thingDamaged} {
		if err := k.book.Drop(kind, id); err != nil {
			return step, path, err
		}
	}
	if c.records.IsZero() {
		return step, path, nil
	}
	entries, err := k.s.lib.Store().Tree(c.records)
	if err != nil {
		return step, path, err
	}
	for _, e := range entries {
		if !e.Mode.IsFile() {
			continue
		}
		if err := k.readOne(c, e, &step, &path); err != nil {
			return step, path, err
		}
	}
	return step, path, nil
}

func (k *known) readOne(c chapterPlace, e gitstore.Entry, step *schema.OID, text *string) error {
	id := c.key.ID()
	path := schema.RecordDir(k.name, id) + "/" + e.Name
	switch e.Name {
	case schema.ReviewFile:
		rec := new(schema.Review)
		if err := k.readRecord(path, e.ID, rec); err != nil {
			return k.damaged(id, c.pos, path)
		}
		*text = orElse(*text, rec.Text.Path)
		return k.put(thingReview, id, c.pos, knownReview{e.ID, review.Metrics(rec, "", time.Time{})})
	case schema.CommitFile:
		rec := new(schema.Commit)
		if err := k.readRecord(path, e.ID, rec); err != nil {
			return k.damaged(id, c.pos, path)
		}
		*text = rec.Text.Path // the later word
		if c.state != schema.StateCommitted || rec.Extraction == nil {
			return nil
		}
		*step = e.ID
		if p, ok := readingPowerOf(id, rec); ok {
			return k.put(thingSignal, id, c.pos, p)
		}
	}
	return nil
}

func (k *known) damaged(id string, pos int64, path string) error {
	return k.put(thingDamaged, id, pos, path)
}

func (k *known) put(kind, key string, pos int64, v any) error {
	data, err := schema.MarshalCompact(v)
	if err != nil {
		return err
	}
	return k.book.Put(index.Thing{Kind: kind, Key: key, Pos: pos, Data: data})
}

// placedChapter is a knownChapter with its place.
type placedChapter struct {
	knownChapter
	id  string
	pos int64
}

func (k *known) chapters() (map[string]placedChapter, error) {
	list, err := k.book.Range(thingChapter, 0, endPos, 0, false)
	out := make(map[string]placedChapter, len(list))
	for _, x := range list {
		c, cerr := placed(x)
		if cerr != nil {
			return nil, cerr
		}
		out[c.id] = c
	}
	return out, err
}

func placed(x index.Thing) (placedChapter, error) {
	c := placedChapter{id: x.Key, pos: x.Pos}
	return c, decode(x, &c.knownChapter)
}

func decode(x index.Thing, into any) error {
	if err := json.Unmarshal(x.Data, into); err != nil {
		return index.Bad(err)
	}
	return nil
}

// chapterText reads a chapter's text from disk: where its records say that it lies, else where it is found.
func (k *known) chapterText(c placedChapter) ([]byte, bool) {
	if c.Path != "" {
		if data, err := k.s.lib.ReadFile(c.Path); err == nil {
			return data, true
		}
	}
	_, found, err := k.s.lookAt(string(schema.KeyOfID(c.id)))
	if err != nil || found.Path == "" || found.Missing {
		return nil, false
	}
	data, err := k.s.lib.ReadFile(found.Path)
	return data, err == nil
}

// progress is what is counted over all chapters.
func (k *known) progress() (p knownProgress, err error) {
	x, ok, err := k.book.Get(thingBook, "")
	if err == nil && ok {
		err = decode(x, &p)
	}
	return p, err
}

// spot is a place to look from.
type spot struct {
	key   schema.ChapterKey
	pos   int64 // of the chapter; what lies before it is before the chapter
	known bool
}

// number is the chapter number that the memory before the spot is seen from.
func (s spot) before() int {
	number := int(s.pos >> 20)
	if s.pos&(1<<20-1) == 0 {
		return number - 1
	}
	return number
}

// spotOf finds the place of a chapter, which need not exist: a new numbered one stands at its number, another one at the end.
func (k *known) spotOf(arg string) (spot, error) {
	key, err := schema.ParseChapterKey(arg)
	if err != nil {
		return spot{}, err
	}
	x, ok, err := k.book.Get(thingChapter, key.ID())
	if err != nil || ok {
		return spot{key, x.Pos, true}, err
	}
	if n, numbered := key.Number(); numbered {
		return spot{key, memory.PosOf(n, 0), false}, nil
	}
	end, err := k.end()
	return spot{key, end + 1, false}, err
}

// end is the place of the last chapter.
func (k *known) end() (int64, error) {
	last, err := k.book.Range(thingChapter, 0, endPos, 1, true)
	if err != nil || len(last) == 0 {
		return 0, err
	}
	return last[0].Pos, nil
}

// viewBefore is the memory as it stood before a chapter.
func (k *known) viewBefore(s spot) *memory.View { return memory.Load(facts{k.book}, s.before(), s.pos) }

// viewAt is the memory at the end of a chapter, of the last one when arg is empty.
func (k *known) viewAt(arg string) (*memory.View, error) {
	if strings.TrimSpace(arg) == "" {
		end, err := k.end()
		return memory.Load(facts{k.book}, int(end>>20), endPos), err
	}
	s, err := k.spotOf(arg)
	if err != nil {
		return nil, err
	}
	limit := s.pos + 1
	if _, numbered := s.key.Number(); numbered { // with the unnumbered chapters behind it
		limit = memory.PosOf(int(s.pos>>20)+1, 0)
	}
	return memory.Load(facts{k.book}, int(s.pos>>20), limit), nil
}

// damagedRecords lists the records before a place that are left out of the memory.
func (k *known) damagedRecords(before int64) ([]string, error) {
	list, err := k.book.Range(thingDamaged, 0, before, 0, false)
	out := make([]string, 0, len(list))
	for _, x := range list {
		path := ""
		if derr := decode(x, &path); derr != nil {
			return nil, derr
		}
		out = append(out, path)
	}
	return out, err
}
