package schema

import "unicode/utf8"

type unknownKey struct {
	name string
	at   int
}

func (d *jsonDecoder) misspelled(unknown []unknownKey, absent []string) {
	for _, u := range unknown {
		if k, ok := nearKey(u.name, absent); ok {
			d.path = append(d.path, pathElem{key: u.name})
			d.faultAt(u.at, Textf("unknown key %q: did you mean %q?", u.name, k))
			d.path = d.path[:len(d.path)-1]
		}
	}
}

// nearKey finds the absent known key that name misspells: within two edits and at most a third of the key's length.
func nearKey(name string, absent []string) (string, bool) {
	best, bestD := "", 3
	for _, k := range absent {
		n := utf8.RuneCountInString(k)
		if d := editDistance(name, k); d < bestD && 3*d <= n {
			best, bestD = k, d
		}
	}
	return best, best != ""
}

// editDistance counts insertions, deletions and replacements of runes; above 2 it may stop counting.
func editDistance(a, b string) int {
	x, y := []rune(a), []rune(b)
	if len(x)-len(y) > 2 || len(y)-len(x) > 2 {
		return 3
	}
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i := range x {
		diag := row[0]
		row[0] = i + 1
		for j := range y {
			cost := diag
			if x[i] != y[j] {
				cost++
			}
			diag = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(y)]
}
