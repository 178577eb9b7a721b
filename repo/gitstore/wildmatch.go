package gitstore

import "strings"

// wildmatch matches git's glob patterns: ? * [set] \x, and with pathname set "*" and "?" stop at slashes while "**"
// crosses them where it stands between slashes. Like git it knows bytes, not characters: a Chinese one is three of them.
func wildmatch(pattern, text string, pathname, fold bool) bool {
	if fold {
		pattern, text = foldASCII(pattern), foldASCII(text)
	}
	steps := 0
	return globMatch(pattern, text, true, pathname, &steps)
}

func foldASCII(s string) string {
	b := []byte(s)
	for i, c := range b {
		b[i] = lowerASCII(c)
	}
	return string(b)
}

// maxGlobSteps bounds the backtracking of a hostile pattern; no pattern a person writes comes near.
const maxGlobSteps = 1 << 20

// globMatch matches p against t; atStart says that t begins at a path component.
func globMatch(p, t string, atStart, pathname bool, steps *int) bool {
	for p != "" {
		if *steps++; *steps > maxGlobSteps {
			return false
		}
		switch p[0] {
		case '*':
			return globStar(p, t, atStart, pathname, steps)
		case '?':
			if t == "" || pathname && t[0] == '/' {
				return false
			}
			atStart = t[0] == '/'
			p, t = p[1:], t[1:]
			continue
		case '[':
			rest, ok := globClass(p, t)
			if t == "" || pathname && t[0] == '/' || !ok {
				return false
			}
			atStart = false
			p, t = rest, t[1:]
			continue
		case '\\':
			if p = p[1:]; p == "" {
				return false // as in git, a backslash at the end matches nothing
			}
		}
		if t == "" || t[0] != p[0] {
			return false
		}
		atStart = t[0] == '/'
		p, t = p[1:], t[1:]
	}
	return t == ""
}

// globStar handles a run of stars at the head of p.
func globStar(p, t string, atStart, pathname bool, steps *int) bool {
	stars := 0
	for stars < len(p) && p[stars] == '*' {
		stars++
	}
	rest := p[stars:]
	deep := !pathname
	if pathname && stars == 2 && atStart && (rest == "" || rest[0] == '/') {
		deep = true
		// "**/x" also matches "x".
		if rest != "" && globMatch(rest[1:], t, true, pathname, steps) {
			return true
		}
	}
	if rest == "" {
		return deep || !strings.Contains(t, "/")
	}
	for i := 0; ; i++ {
		if *steps++; *steps > maxGlobSteps {
			return false
		}
		if globMatch(rest, t[i:], i == 0 && atStart || i > 0 && t[i-1] == '/', pathname, steps) {
			return true
		}
		if i >= len(t) || !deep && t[i] == '/' {
			return false
		}
	}
}

// globClass matches one byte of t against the bracket set at the head of p and returns what follows the set.
func globClass(p, t string) (rest string, ok bool) {
	if t == "" {
		return "", false
	}
	r, set := t[0], p[1:]
	i, negate, hit := 0, false, false
	if i < len(set) && (set[i] == '!' || set[i] == '^') {
		negate = true
		i++
	}
	for first := true; ; first = false {
		if i >= len(set) {
			return "", false // no closing bracket
		}
		c := set[i]
		if c == ']' && !first {
			i++
			break
		}
		if c == '[' && i+1 < len(set) && set[i+1] == ':' {
			name, _, found := strings.Cut(set[i+2:], ":]")
			if !found {
				return "", false
			}
			hit = hit || inNamedClass(name, r)
			i += len(name) + 4
			continue
		}
		if c == '\\' && i+1 < len(set) {
			i++
			c = set[i]
		}
		i++
		hi := c
		if i+1 < len(set) && set[i] == '-' && set[i+1] != ']' {
			hi = set[i+1]
			i += 2
			if hi == '\\' && i < len(set) {
				hi = set[i]
				i++
			}
		}
		hit = hit || c <= r && r <= hi
	}
	return set[i:], hit != negate
}

func inNamedClass(name string, r byte) bool {
	lower, upper, digit := r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9'
	switch name {
	case "alpha":
		return lower || upper
	case "digit":
		return digit
	case "alnum":
		return lower || upper || digit
	case "lower":
		return lower
	case "upper":
		return upper
	case "space":
		return r == ' ' || r >= '\t' && r <= '\r'
	case "blank":
		return r == ' ' || r == '\t'
	case "punct":
		return r > ' ' && r < 0x7f && !lower && !upper && !digit
	case "xdigit":
		return digit || r >= 'a' && r <= 'f' || r >= 'A' && r <= 'F'
	case "cntrl":
		return r < ' ' || r == 0x7f
	case "graph":
		return r > ' ' && r < 0x7f
	case "print":
		return r >= ' ' && r < 0x7f
	default:
		return false
	}
}
