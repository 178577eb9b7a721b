package schema

import (
	"encoding/json"
	"strconv"
	"strings"
)

// any reads a value of any form: nil, bool, string, float64 or json.Number, []any, map[string]any.
func (d *jsonDecoder) any() (any, bool) {
	switch c := d.peek(); {
	case c == '{':
		m := map[string]any{}
		var keys keySet
		ok := d.object(func(name, _ []byte, at int) bool {
			k := string(name)
			d.duplicate(&keys, k, at)
			d.path = append(d.path, pathElem{key: k})
			v, ok := d.any()
			d.path = d.path[:len(d.path)-1]
			m[k] = v
			return ok
		})
		return m, ok
	case c == '[':
		l := []any{}
		ok := d.list(func(i int) bool {
			d.path = append(d.path, pathElem{index: i, isIdx: true})
			v, ok := d.any()
			d.path = d.path[:len(d.path)-1]
			l = append(l, v)
			return ok
		})
		return l, ok
	case c == '"':
		s, ok := d.str()
		return string(s), ok
	case c == '-' || c >= '0' && c <= '9':
		tok, ok := d.number()
		if !ok {
			return nil, false
		}
		return number(string(tok)), true
	default:
		w, ok := d.literal()
		if !ok || w == 'n' {
			return nil, ok
		}
		return w == 't', true
	}
}

// number is a float64 when that keeps the value, else the token itself: a long id must not come back rounded.
func number(tok string) any {
	f, err := strconv.ParseFloat(tok, 64)
	if err != nil || decimal(tok) != decimal(strconv.FormatFloat(f, 'e', -1, 64)) {
		return json.Number(tok)
	}
	return f
}

// decimalNumber is digits times ten to the power of exp.
type decimalNumber struct {
	digits string
	exp    int
	neg    bool
}

// decimal normalises a number token, so that 1.50, 15e-1 and 1.5 are equal.
func decimal(tok string) (d decimalNumber) {
	tok, d.neg = strings.CutPrefix(tok, "-")
	mantissa, e := tok, ""
	if i := strings.IndexAny(tok, "eE"); i >= 0 {
		mantissa, e = tok[:i], tok[i+1:]
	}
	d.exp, _ = strconv.Atoi(e) // out of range only where ParseFloat gives 0 or fails
	whole, frac, _ := strings.Cut(mantissa, ".")
	d.exp -= len(frac)
	digits := strings.TrimLeft(whole+frac, "0")
	d.digits = strings.TrimRight(digits, "0")
	d.exp += len(digits) - len(d.digits)
	if d.digits == "" {
		d.exp, d.neg = 0, false
	}
	return d
}
