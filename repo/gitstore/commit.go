package gitstore

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
	"time"

	"git-novel/schema"
)

var errCommit = errors.New("malformed commit")

// parseCommit decodes a commit object. Unknown headers are kept in Raw only.
func parseCommit(data []byte) (*Commit, error) {
	c := &Commit{Raw: data}
	rest := data
	sawTree := false
	for {
		line, tail, ok := bytes.Cut(rest, []byte("\n"))
		if !ok {
			return nil, errCommit
		}
		rest = tail
		if len(line) == 0 {
			break
		}
		key, value, _ := bytes.Cut(line, []byte(" "))
		switch string(key) {
		case "tree":
			id, err := schema.ParseOID(string(value))
			if err != nil || sawTree {
				return nil, errCommit
			}
			c.Tree, sawTree = id, true
		case "parent":
			id, err := schema.ParseOID(string(value))
			if err != nil {
				return nil, errCommit
			}
			c.Parents = append(c.Parents, id)
		case "author":
			c.Author = parseIdent(string(value))
		case "committer":
			c.Committer = parseIdent(string(value))
		case "encoding":
			c.Encoding = string(value)
		}
		if len(rest) == 0 {
			break
		}
	}
	if !sawTree {
		return nil, errCommit
	}
	c.Message = string(rest)
	return c, nil
}

// Signature splits a signed commit into its signature and the payload that was signed.
func (c *Commit) Signature() (sig string, payload []byte, signed bool) {
	head, body, ok := bytes.Cut(c.Raw, []byte("\n\n"))
	if !ok {
		return "", nil, false
	}
	var b strings.Builder
	in := false
	for line := range bytes.SplitSeq(head, []byte("\n")) {
		switch {
		case bytes.HasPrefix(line, []byte("gpgsig ")):
			in, signed = true, true
			b.Write(line[len("gpgsig "):])
			b.WriteByte('\n')
		case in && bytes.HasPrefix(line, []byte(" ")):
			b.Write(line[1:])
			b.WriteByte('\n')
		default:
			in = false
			payload = append(append(payload, line...), '\n')
		}
	}
	payload = append(append(payload, '\n'), body...)
	return b.String(), payload, signed
}

// encodeCommit writes a commit in git's form. The message ends with one newline.
func encodeCommit(c *Commit) ([]byte, error) {
	if c.Tree.IsZero() {
		return nil, schema.Errorf(schema.CodeUnexpected, "a commit without a tree was to be written")
	}
	for _, who := range []Ident{c.Author, c.Committer} {
		if who.Email == "" && who.Name == "" || who.When.IsZero() {
			return nil, schema.Errorf(schema.CodeUnexpected, "a commit without author or date was to be written")
		}
	}
	if strings.ContainsRune(c.Message, 0) {
		return nil, schema.Errorf(schema.CodeInvalid, "a commit message cannot hold a NUL character")
	}
	var b bytes.Buffer
	b.WriteString("tree " + c.Tree.String() + "\n")
	for _, p := range c.Parents {
		b.WriteString("parent " + p.String() + "\n")
	}
	b.WriteString("author " + c.Author.line() + "\n")
	b.WriteString("committer " + c.Committer.line() + "\n")
	if c.Encoding != "" {
		b.WriteString("encoding " + c.Encoding + "\n")
	}
	b.WriteByte('\n')
	if msg := strings.TrimRight(c.Message, "\n"); msg != "" {
		b.WriteString(msg + "\n")
	}
	return b.Bytes(), nil
}

// line is the ident as it stands in commits and reflogs: Name <email> seconds zone.
func (i Ident) line() string {
	return cleanIdent(i.Name) + " <" + cleanIdent(i.Email) + "> " + strconv.FormatInt(i.When.Unix(), 10) + " " + i.When.Format("-0700")
}

// parseIdent reads an ident line as leniently as git: whatever is missing stays empty.
func parseIdent(s string) Ident {
	lt := strings.IndexByte(s, '<')
	gt := strings.LastIndexByte(s, '>')
	if lt < 0 || gt < lt {
		return Ident{Name: strings.TrimSpace(s)}
	}
	id := Ident{Name: strings.TrimSpace(s[:lt]), Email: s[lt+1 : gt]}
	secs, zone, _ := strings.Cut(strings.TrimSpace(s[gt+1:]), " ")
	n, err := strconv.ParseInt(secs, 10, 64)
	if err != nil || n < 0 || n > 1<<40 {
		return id
	}
	id.When = time.Unix(n, 0).In(parseZone(zone))
	return id
}

// parseZone reads +hhmm; what does not parse is UTC.
func parseZone(s string) *time.Location {
	n, err := strconv.Atoi(s)
	if err != nil || len(s) != 5 || n < -9959 || n > 9959 {
		return time.UTC
	}
	secs := (n/100*60 + n%100) * 60
	if secs == 0 {
		return time.UTC
	}
	return time.FixedZone("", secs)
}

// cleanIdent drops what git drops: crud at both ends, and newlines and angle brackets inside.
func cleanIdent(s string) string {
	s = strings.TrimFunc(s, isCrud)
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '<' || r == '>' || r == 0 {
			return -1
		}
		return r
	}, s)
}

func isCrud(r rune) bool { return r <= ' ' || strings.ContainsRune(`.,:;<>"\'`, r) }
