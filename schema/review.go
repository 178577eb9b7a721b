package schema

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Names of the handed-in artifacts, as messages and `git novel schema` call them.
const (
	ArtifactReview         = "review_result"
	ArtifactRecheck        = "recheck_result"
	ArtifactFulfillment    = "fulfillment_result"
	ArtifactDisambiguation = "disambiguation_result"
	ArtifactExtraction     = "extraction_result"
)

// maxIssues bounds the issues of one review.
const maxIssues = 1000

// ReviewWant is what the caller knows about the review that is handed in.
type ReviewWant struct {
	Book    string // "" does not check the book
	Chapter string // chapter id: "0003", or the key of an unnumbered chapter
	Round   int    // numbers the issues that come without a usable id: r<round>-<i>
	// Artifact is set for chapter-commit's --review-result: blocking_count is required there (reference harness 4.3), and
	// the file may be the recorded review itself, so that overrides made by a person are let through.
	Artifact bool
}

// ReviewInput is a review or a re-check as a reviewer hands it in, after validation.
type ReviewInput struct {
	Issues     []Issue // Blocking is the effective flag: a critical issue blocks whatever the reviewer said
	Dimensions Dimensions
	Summary    string
	TextBlob   *OID   // the text that the reviewer says to have read; nil when it does not say
	Producer   string // "" when it does not say; a claim, for the recorder to overrule
	Run        string // same
	Task       string // id of the task that it answers; same
}

// Blocking counts the issues that block and are not overridden.
func (r *ReviewInput) Blocking() int { return openBlocking(r.Issues) }

// Covers reports whether the review has a conclusion for each of dims.
func (r *ReviewInput) Covers(dims ...Category) bool { return r.Dimensions.Covers(dims...) }

// Covers reports whether there is a conclusion for each of dims.
func (m Dimensions) Covers(dims ...Category) bool {
	for _, c := range dims {
		if _, ok := m[c]; !ok {
			return false
		}
	}
	return true
}

// Same reports whether the input says what the recorded review says: the same issues, dimensions and summary and, when the
// input names a text, the same text. Overrides are left out of the comparison, and so are ids that were assigned.
func (r *ReviewInput) Same(rec *Review) bool {
	if r.TextBlob != nil && *r.TextBlob != rec.Text.Blob {
		return false
	}
	if r.Summary != rec.Summary || !maps.Equal(r.Dimensions, rec.Dimensions) || len(r.Issues) != len(rec.Issues) {
		return false
	}
	for i, a := range r.Issues {
		b := rec.Issues[i]
		if a.Severity != b.Severity || a.Category != b.Category || a.Location != b.Location || a.Blocking != b.Blocking ||
			a.Description != b.Description || a.Evidence != b.Evidence || a.FixHint != b.FixHint || a.isFact() != b.isFact() {
			return false
		}
	}
	return true
}

func (i Issue) isFact() bool { return i.Fact == nil || *i.Fact }

// ParseReviewInput reads a handed-in review. It is tolerant of how models wrap JSON (BOM, code fences, prose around the
// object, typographic quotes) and strict about what the JSON says; the error is CodeInvalid with every fault (DESIGN 7).
func ParseReviewInput(file string, data []byte, want ReviewWant) (*ReviewInput, error) {
	return parseReviewInput(file, data, want, ArtifactReview)
}

// ParseRecheckInput reads a handed-in anti-AI re-check: a review that speaks of ai_flavor only (DESIGN 5).
func ParseRecheckInput(file string, data []byte, want ReviewWant) (*ReviewInput, error) {
	return parseReviewInput(file, data, want, ArtifactRecheck)
}

func parseReviewInput(file string, data []byte, want ReviewWant, what string) (*ReviewInput, error) {
	h, o := openHandIn(file, what, data)
	if o == nil {
		return nil, h.err()
	}
	p := reviewParser{h: h, o: o, want: want, recheck: what == ArtifactRecheck}
	in := p.parse()
	if err := h.err(); err != nil {
		return nil, err
	}
	return in, nil
}

type reviewParser struct {
	h       *handIn
	o       *inObj
	want    ReviewWant
	recheck bool
}

func (p *reviewParser) parse() *ReviewInput {
	o := p.o
	if n, _ := o.get("review"); n != nil {
		o.fault(n, "review", "%s fields must be top-level, not nested under %s", p.h.what, "review")
		return nil
	}
	o.misspelled("schema", "book", "chapter", "round", "run", "producer", "depth", "binding", "text", "text_blob", "task",
		"dimensions", "dimension_results", "issues", "issues_count", "blocking_count", "has_blocking", "summary",
		"review_skipped", "review_mode", "overall_score", "dimension_scores", "severity_counts", "categories",
		"critical_issues", "timestamp")
	p.identity()
	in := &ReviewInput{
		Summary: o.str("summary"), Producer: o.str("producer"), Run: o.str("run"), Task: o.str("task"),
	}
	in.TextBlob = p.textBlob()
	var sound bool
	in.Issues, sound = p.issues()
	p.assignIDs(in.Issues)
	if sound { // otherwise counts and conclusions would be compared with a list that is wrong itself
		in.Dimensions = p.dimensions(in.Issues)
		p.counts(in.Issues)
	} else {
		p.countTypes()
	}
	return in
}

// identity checks that the file is a review, and one of this chapter.
func (p *reviewParser) identity() {
	o := p.o
	name := SchemaReview
	if p.recheck {
		name = SchemaRecheck
	}
	if n, key := o.get("schema"); n != nil && (n.kind != inString || n.text != name) {
		o.fault(n, key, "%s is not the format of this file; allowed: %s", n.describe(), name)
	}
	if n, key := o.get("book"); n != nil && p.want.Book != "" && (n.kind != inString || !sameBook(n.text, p.want.Book)) {
		o.fault(n, key, "%s is not this book: it must be %q", n.describe(), p.want.Book)
	}
	o.chapter(p.want.Chapter)
	if v, ok := o.boolean("review_skipped"); ok && v {
		n, key := o.get("review_skipped")
		o.fault(n, key, "a review that was skipped is no evidence")
	}
}

func (p *reviewParser) textBlob() *OID {
	n, key := p.o.get("text_blob")
	at := p.o
	if t := p.o.sub("text"); t != nil {
		t.misspelled("path", "blob", "chars")
		if b, k := t.get("blob"); b != nil {
			n, key, at = b, k, t
		}
	}
	if n == nil {
		return nil
	}
	if n.kind == inString {
		if id, err := ParseOID(strings.TrimSpace(n.text)); err == nil && !id.IsZero() {
			return &id
		}
	}
	at.fault(n, key, "%s is not a git blob id of 40 hexadecimal digits", n.describe())
	return nil
}

// issues reads the list; sound is false when the counts cannot be judged.
func (p *reviewParser) issues() (list []Issue, sound bool) {
	n, key := p.o.get("issues")
	if n == nil {
		p.o.fault(nil, key, "is missing; it must be a list, empty when the review found nothing")
		return nil, false
	}
	if n.kind != inArray {
		p.o.fault(n, key, "must be a list of objects, not %s", n.describe())
		return nil, false
	}
	if len(n.items) > maxIssues {
		p.o.fault(n, key, "holds %d issues; at most %d are read", len(n.items), maxIssues)
		return nil, false
	}
	before := len(p.h.faults) + p.h.more
	list = make([]Issue, 0, len(n.items))
	for i, it := range n.items {
		path := fmt.Sprintf("issues[%d]", i)
		if it.kind != inObject {
			p.h.add(it.off, path, "must be an object, not %s", it.describe())
			continue
		}
		list = append(list, p.issue(&inObj{h: p.h, n: it, path: path}))
	}
	return list, len(p.h.faults)+p.h.more == before
}

func (p *reviewParser) issue(o *inObj) Issue {
	o.misspelled("id", "severity", "category", "location", "description", "evidence", "fix_hint", "blocking", "fact", "override")
	i := Issue{
		ID: issueID(o), Severity: oneOf(o, "severity", Severities()), Category: oneOf(o, "category", Categories()),
		Location: o.str("location"), Description: o.need("description"), Evidence: o.need("evidence"), FixHint: o.str("fix_hint"),
	}
	if p.recheck && i.Category != "" && i.Category != CategoryAIFlavor {
		n, key := o.get("category")
		o.fault(n, key, "a re-check speaks of %s only, not of %q", string(CategoryAIFlavor), string(i.Category))
	}
	i.Blocking, _ = o.boolean("blocking")
	i.Blocking = i.Blocking || i.Severity == SeverityCritical
	if fact, ok := o.boolean("fact"); ok && (i.Category == CategoryLogic || i.Category == CategoryCharacter) {
		i.Fact = &fact
	}
	if o.has("override") {
		i.Override = p.override(o)
	}
	return i
}

// override refuses an override that a reviewer made up: only a person makes one, with the command.
func (p *reviewParser) override(o *inObj) *Override {
	n, key := o.get("override")
	if !p.want.Artifact {
		o.fault(n, key, "a review cannot carry an override; a person makes one with `git novel review override`")
		return nil
	}
	v := o.sub(key)
	if v == nil {
		return nil
	}
	v.misspelled("reason", "by")
	return &Override{Reason: v.need("reason"), By: v.need("by")}
}

// issueID is the id that the reviewer gave, or "" when it gave none that a command line can name.
func issueID(o *inObj) string {
	n, key := o.get("id")
	if n == nil {
		return ""
	}
	if v, ok := n.integer(); ok {
		return fmt.Sprint(v)
	}
	if n.kind != inString {
		o.fault(n, key, "must be a string, not %s", n.describe())
		return ""
	}
	if !usableID(n.text) {
		return ""
	}
	return n.text
}

func usableID(s string) bool {
	if s == "" || len(s) > 64 || strings.HasPrefix(s, "-") {
		return false
	}
	return !strings.ContainsFunc(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_.:#/", r)
	})
}

// assignIDs keeps ids that are given and unique and assigns r<round>-<i> to the others.
func (p *reviewParser) assignIDs(issues []Issue) {
	count := map[string]int{}
	for _, i := range issues {
		count[i.ID]++
	}
	for k := range issues {
		if id := issues[k].ID; id != "" && count[id] == 1 {
			continue
		}
		id := fmt.Sprintf("r%d-%d", p.want.Round, k+1)
		for count[id] > 0 {
			id += "a"
		}
		issues[k].ID = id
		count[id]++
	}
}

// sameBook compares book names as file systems do that store them decomposed.
func sameBook(a, b string) bool { return norm.NFC.String(a) == norm.NFC.String(b) }

// countTypes checks what counts can be checked for without a list: all faults are told at once.
func (p *reviewParser) countTypes() {
	p.o.integer("issues_count", 0)
	p.o.integer("blocking_count", 0)
	p.o.boolean("has_blocking")
	if p.want.Artifact {
		p.o.require("blocking_count")
	}
}

// counts compares what the reviewer counted with the effective flags.
func (p *reviewParser) counts(issues []Issue) {
	blocking := openBlocking(issues)
	if v, ok := p.o.integer("issues_count", 0); ok && v != len(issues) {
		n, key := p.o.get("issues_count")
		p.o.fault(n, key, "is %d, but the list holds %d issues", v, len(issues))
	}
	if v, ok := p.o.integer("blocking_count", 0); ok && v != blocking {
		n, key := p.o.get("blocking_count")
		p.o.fault(n, key, "is %d, but the list holds %d blocking issues (critical ones always block)", v, blocking)
	}
	if v, ok := p.o.boolean("has_blocking"); ok && v != (blocking > 0) {
		n, key := p.o.get("has_blocking")
		p.o.fault(n, key, "is %t, but the list holds %d blocking issues (critical ones always block)", v, blocking)
	}
	if p.want.Artifact {
		p.o.require("blocking_count")
	}
}

// allowedDimensions are the dimensions that this kind of review may conclude on.
func (p *reviewParser) allowedDimensions() []Category {
	if p.recheck {
		return []Category{CategoryAIFlavor}
	}
	return Categories()
}

// defaultDimensions are covered by a result that lists none (DESIGN 5).
func (p *reviewParser) defaultDimensions() []Category {
	if p.recheck {
		return []Category{CategoryAIFlavor}
	}
	return FullDimensions()
}

// countBy counts the issues of a category, overridden ones too.
func countBy(issues []Issue, c Category) int {
	n := 0
	for _, i := range issues {
		if i.Category == c {
			n++
		}
	}
	return n
}

// SortedNames lists the dimensions in the order of Categories.
func (m Dimensions) SortedNames() []Category {
	var names []Category
	for _, c := range Categories() {
		if _, ok := m[c]; ok {
			names = append(names, c)
		}
	}
	for _, c := range slices.Sorted(maps.Keys(m)) {
		if !slices.Contains(names, c) {
			names = append(names, c)
		}
	}
	return names
}
