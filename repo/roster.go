package repo

import "git-novel/schema"

// chapterID is what files of one chapter have in common: the number, or the folded key with number -1.
type chapterID struct {
	number int
	name   string
}

func identity(k schema.ChapterKey) chapterID {
	if n, ok := k.Number(); ok {
		return chapterID{number: n}
	}
	return chapterID{number: -1, name: schema.FoldKey(k)}
}

// roster finds the position of a chapter in a list. Numbers are looked up by themselves: a finished serial has thousands.
// The zero roster is empty.
type roster struct {
	numbered []int32 // position + 1, by number
	named    map[string]int
}

// put enters a chapter and is false when there is one of that identity.
func (r *roster) put(who chapterID, at int) bool {
	if _, taken := r.find(who); taken {
		return false
	}
	if who.number < 0 {
		if r.named == nil {
			r.named = map[string]int{}
		}
		r.named[who.name] = at
		return true
	}
	if r.numbered == nil {
		r.numbered = make([]int32, schema.MaxNumber+1)
	}
	r.numbered[who.number] = int32(at) + 1 //nolint:gosec // far fewer chapters than that
	return true
}

func (r *roster) find(who chapterID) (int, bool) {
	if who.number < 0 {
		at, ok := r.named[who.name]
		return at, ok
	}
	if who.number >= len(r.numbered) || r.numbered[who.number] == 0 {
		return 0, false
	}
	return int(r.numbered[who.number]) - 1, true
}

func (r *roster) has(who chapterID) bool {
	_, ok := r.find(who)
	return ok
}
