package memory

import (
	"cmp"
	"slices"

	"git-novel/schema"
)

// Step is one accepted commit with its place in the book's order.
type Step struct {
	ID     string // chapter id: "0003", or the key of an unnumbered chapter
	Number int    // an unnumbered chapter has the number of the chapter it stands after
	Place  int    // place among the chapters of one Number: 0 for the numbered one, then 1, 2 …
	Commit *schema.Commit
}

// placeBits is how many unnumbered chapters may stand behind one number, as bits.
const placeBits = 20

// Pos is the place of the step in the order of the book, as one number that sorts like it.
func (s Step) Pos() int64 { return PosOf(s.Number, s.Place) }

// PosOf is the place of a chapter: of the numbered one when place is 0, else of the place-th unnumbered one behind it.
func PosOf(number, place int) int64 { return int64(number)<<placeBits | int64(place) }

// Fold is the memory of one book. The zero value is not ready: use New. Not safe for concurrent use.
type Fold struct {
	steps  []Step
	ids    map[string]bool // so that appending to a long serial looks at no other step
	folded int             // how many steps the state holds; more than len(steps) never happens
	state  state
}

// New makes an empty memory.
func New() *Fold { return &Fold{ids: map[string]bool{}, state: newState()} }

// FromSteps folds commits; their order in the slice does not matter.
func FromSteps(steps ...Step) *Fold {
	f := New()
	for _, s := range steps {
		f.Put(s)
	}
	return f
}

func order(a, b Step) int {
	return cmp.Or(cmp.Compare(a.Number, b.Number), cmp.Compare(a.Place, b.Place), cmp.Compare(a.ID, b.ID))
}

// Put adds the record of a chapter, or replaces it when the chapter (by ID) is already there.
func (f *Fold) Put(s Step) {
	if f.ids[s.ID] {
		f.Remove(s.ID)
	}
	f.ids[s.ID] = true
	i, _ := slices.BinarySearchFunc(f.steps, s, order)
	f.steps = slices.Insert(f.steps, i, s)
	if i < f.folded {
		f.restart()
	}
}

// Remove forgets a chapter (discarded, retracted). An unknown id changes nothing.
func (f *Fold) Remove(id string) {
	if i := slices.IndexFunc(f.steps, func(x Step) bool { return x.ID == id }); i >= 0 {
		f.drop(i)
	}
}

func (f *Fold) drop(i int) {
	delete(f.ids, f.steps[i].ID)
	f.steps = slices.Delete(f.steps, i, i+1)
	if i < f.folded {
		f.restart()
	}
}

func (f *Fold) restart() { f.folded, f.state = 0, newState() }

// settle folds what has not been folded yet.
func (f *Fold) settle() {
	for ; f.folded < len(f.steps); f.folded++ {
		f.state.apply(f.steps[f.folded])
	}
}

// Len is the number of chapters in the memory.
func (f *Fold) Len() int { return len(f.steps) }

// At looks from the end of chapter n: everything that chapters up to n established. A view stays right when later
// records are put, but not when an earlier one is replaced: ask again then.
func (f *Fold) At(n int) *View {
	f.settle()
	return &View{s: &f.state, at: n}
}

// Now looks from the end of the last chapter.
func (f *Fold) Now() *View {
	if len(f.steps) == 0 {
		return f.At(0)
	}
	return f.At(f.steps[len(f.steps)-1].Number)
}

// Warnings lists what the records say but the fold could not follow: a closing without its opening, an ambiguous one, an
// event that goes back in time.
func (f *Fold) Warnings() []Warning {
	f.settle()
	return slices.Clone(f.state.warnings)
}

// Warning is something in a record that the fold could not follow.
type Warning struct {
	Chapter int         `json:"chapter"`
	Source  string      `json:"source"`
	Msg     schema.Text `json:"message"`
}
