package repo

import (
	"cmp"
	"slices"

	"git-novel/schema"
)

// FrontID is the place before the first chapter of a book (DESIGN 4, "Order"), also in a book with a chapter 0.
const FrontID = "0000"

// OrderKeys gives the keys in the order of the book: numbered chapters by number, and each unnumbered one behind the
// chapter that order names for it. Behind a chapter that is not there, it stands where that number would be; without a
// place, or with one that leads round in a circle or to nothing, at the end of the book. Several behind one chapter are
// sorted by UTF-16 units.
func OrderKeys(keys []schema.ChapterKey, order map[string]schema.Place) []schema.ChapterKey {
	type numberedKey struct {
		n int
		k schema.ChapterKey
	}
	sorted := make([]numberedKey, 0, len(keys))
	var others []schema.ChapterKey
	for _, k := range keys {
		if n, ok := k.Number(); ok {
			sorted = append(sorted, numberedKey{n, k})
		} else {
			others = append(others, k)
		}
	}
	byNumber := func(a, b numberedKey) int { return cmp.Compare(a.n, b.n) }
	if !slices.IsSortedFunc(sorted, byNumber) {
		slices.SortStableFunc(sorted, byNumber)
	}
	numbered := make([]schema.ChapterKey, len(sorted))
	for i, s := range sorted {
		numbered[i] = s.k
	}
	number := func(k schema.ChapterKey) int {
		n, _ := k.Number()
		return n
	}
	slices.SortFunc(others, schema.CompareKeys)
	if len(others) == 0 {
		return numbered
	}
	o := ordering{behind: map[string][]schema.ChapterKey{}, done: make(map[schema.ChapterKey]bool, len(others))}
	places := make(map[string]string, len(order))
	for id, p := range order {
		places[foldID(id)] = p.After
	}
	at := make(map[int]bool, len(numbered))
	for _, k := range numbered {
		at[number(k)] = true
	}
	for _, k := range others {
		after, ok := places[foldID(string(k))]
		if !ok {
			continue
		}
		if n, isNumber := schema.KeyOfID(after).Number(); isNumber && after != FrontID && !at[n] {
			after = nearest(numbered, number, n)
		}
		id := foldID(after)
		o.behind[id] = append(o.behind[id], k)
	}
	o.out = make([]schema.ChapterKey, 0, len(keys))
	o.follow(FrontID)
	for _, k := range numbered {
		o.out = append(o.out, k)
		if id := k.ID(); id != FrontID {
			o.follow(id)
		}
	}
	for _, k := range others {
		if !o.done[k] {
			o.out = append(o.out, k)
			o.done[k] = true
			o.follow(foldID(string(k)))
		}
	}
	return o.out
}

type ordering struct {
	behind map[string][]schema.ChapterKey
	done   map[schema.ChapterKey]bool
	out    []schema.ChapterKey
}

// follow puts out what stands behind a chapter. The circle of a damaged order is never entered from outside of it, and
// done stops one that is entered at its own end.
func (o *ordering) follow(id string) {
	for _, k := range o.behind[id] {
		if o.done[k] {
			continue
		}
		o.done[k] = true
		o.out = append(o.out, k)
		o.follow(foldID(string(k)))
	}
}

// foldID makes ids of one chapter equal.
func foldID(id string) string {
	if len(id) == 4 && id[0] >= '0' && id[0] <= '9' {
		return id
	}
	return schema.FoldName(id)
}

// nearest is the id of the highest number below n, or the front.
func nearest(numbered []schema.ChapterKey, number func(schema.ChapterKey) int, n int) string {
	i, _ := slices.BinarySearchFunc(numbered, n, func(k schema.ChapterKey, n int) int { return cmp.Compare(number(k), n) })
	if i == 0 {
		return FrontID
	}
	return numbered[i-1].ID()
}
