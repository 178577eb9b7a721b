package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// row is one line of DESIGN 15.
type row struct {
	name, what string
	run        func(ctx context.Context, b *bench) ([]result, error)
}

func allRows() []row {
	return []row{
		{"P1", "chapter-commit of one chapter", rowCommit},
		{"P3", "point queries", rowPoint},
		{"P4", "load-context within 8,000 tokens", rowContext},
		{"P5", "status", rowStatus},
		{"P7", "import of a whole novel", rowImport},
		{"P8", "diff of a chapter", rowDiff},
	}
}

func rowNames() []string {
	var names []string
	for _, r := range allRows() {
		names = append(names, r.name)
	}
	return names
}

// chosen reads --rows.
func chosen(list string) ([]row, error) {
	if strings.TrimSpace(list) == "" {
		return allRows(), nil
	}
	var out []row
	for name := range strings.SplitSeq(list, ",") {
		name = strings.ToUpper(strings.TrimSpace(name))
		found := false
		for _, r := range allRows() {
			if r.name == name {
				out, found = append(out, r), true
			}
		}
		if !found {
			return nil, fmt.Errorf("%w: there is no row %q; the rows are %s", errUsage, name, strings.Join(rowNames(), ", "))
		}
	}
	return out, nil
}

const gitDefaults = "plain git add + git commit: git's defaults do not sync loose objects, git-novel syncs everything"

// rowCommit measures P1. Both sides go through the same chapters in equal repositories.
func rowCommit(ctx context.Context, b *bench) ([]result, error) {
	var out []result
	for _, p := range []struct {
		chapters int
		bar      float64
	}{{medium, 0.5}, {large, 0.3}} {
		n := b.repetitions(9, 3)
		// The first round is not measured; all of them take the library up to the number that the row names.
		first := p.chapters - n
		res, err := b.commitSeries(ctx, first, n)
		if err != nil {
			return nil, err
		}
		res.Chapters, res.Bar, res.Note = p.chapters, p.bar, gitDefaults
		out = append(out, res)
	}
	return out, nil
}

func (b *bench) commitSeries(ctx context.Context, first, n int) (result, error) {
	ours, err := b.library(ctx, first-1)
	if err != nil {
		return result{}, err
	}
	delete(b.libs, first-1) // it grows now
	plain := filepath.Join(b.dir, "p1-git")
	if err := b.copyTree(ctx, ours, plain); err != nil {
		return result{}, err
	}
	w := newWriter(first)
	next := first
	var paths []string
	commit := func() (time.Duration, error) {
		if err := b.prepareChapter(ctx, ours, plain, w, next); err != nil {
			return 0, err
		}
		before, err := b.head(ctx, ours)
		if err != nil {
			return 0, err
		}
		d, _, err := b.novel(ctx, ours, "chapter-commit", "--chapter", strconv.Itoa(next))
		if err != nil {
			return 0, err
		}
		if paths, err = b.changed(ctx, ours, before, "HEAD"); err != nil {
			return 0, err
		}
		if len(paths) == 0 {
			return 0, fmt.Errorf("chapter-commit of %d made no commit", next)
		}
		return d, carry(ours, plain, paths)
	}
	yardstick := func() (time.Duration, error) {
		d, err := b.addCommit(ctx, plain, "commit("+bookName+" "+strconv.Itoa(next)+")", paths)
		next++
		return d, err
	}
	sa, sb, err := interleaved(n, true, commit, yardstick)
	if err != nil {
		return result{}, err
	}
	if err := b.sameTree(ctx, ours, plain); err != nil {
		return result{}, err
	}
	b.libs[next-1] = ours // as large as the row says: later rows need not build another one
	return compare(sa, sb, "git add + git commit of the same files"), b.settle(ctx, ours)
}

// prepareChapter takes the next chapter to reviewed in our library, and brings the plain one to the same tree.
func (b *bench) prepareChapter(ctx context.Context, ours, plain string, w *writer, number int) error {
	before, err := b.head(ctx, ours)
	if err != nil {
		return err
	}
	text := filepath.Join(b.dir, "chapter.txt")
	if err := os.WriteFile(text, []byte(w.chapter(number)), 0o600); err != nil {
		return err
	}
	n := strconv.Itoa(number)
	if _, _, err := b.novel(ctx, ours, "chapter", "save", n, "--file", text); err != nil {
		return err
	}
	review := map[string]any{
		"chapter": number,
		"dimensions": map[string]string{
			"setting": "pass", "timeline": "pass", "continuity": "pass", "character": "pass", "logic": "pass", "ai_flavor": "pass",
		},
		"issues": []any{}, "issues_count": 0, "blocking_count": 0, "has_blocking": false, "summary": "通过",
	}
	data, err := json.Marshal(review)
	if err != nil {
		return err
	}
	file := filepath.Join(b.dir, "review.json")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		return err
	}
	if _, _, err := b.novel(ctx, ours, "review", "record", "--chapter", n, "--results", file, "--at-record"); err != nil {
		return err
	}
	paths, err := b.changed(ctx, ours, before, "HEAD")
	if err != nil {
		return err
	}
	if err := carry(ours, plain, paths); err != nil {
		return err
	}
	_, err = b.addCommit(ctx, plain, "prepare", paths)
	return err
}

// sameTree makes sure that the two sides did the same work.
func (b *bench) sameTree(ctx context.Context, ours, plain string) error {
	_, x, err := b.gitCmd(ctx, ours, "rev-parse", "HEAD^{tree}")
	if err != nil {
		return err
	}
	_, y, err := b.gitCmd(ctx, plain, "rev-parse", "HEAD^{tree}")
	if err == nil && !bytes.Equal(x, y) {
		err = fmt.Errorf("the trees differ (%s, %s): the sides did not do the same work", bytes.TrimSpace(x), bytes.TrimSpace(y))
	}
	return err
}

// rowPoint measures P3: what a script asks between two steps.
func rowPoint(ctx context.Context, b *bench) ([]result, error) {
	dir, err := b.library(ctx, large)
	if err != nil {
		return nil, err
	}
	var out []result
	for _, q := range [][]string{
		{"state", "get-chapter-status", "--chapter", "7000"},
		{"chapter-path", "--chapter", "7000"},
	} {
		sa, sb, err := interleaved(b.repetitions(21, 9), true, timed(ctx, b.novel, dir, q...), timed(ctx, b.gitCmd, dir, "rev-parse", "HEAD"))
		if err != nil {
			return nil, err
		}
		res := compare(sa, sb, "git rev-parse HEAD")
		res.Detail, res.Chapters, res.Bar, res.Floor = strings.Join(q[:len(q)-2], " "), large, 8, 15
		out = append(out, res)
	}
	return out, nil
}

// rowStatus measures P5.
func rowStatus(ctx context.Context, b *bench) ([]result, error) {
	dir, err := b.library(ctx, large)
	if err != nil {
		return nil, err
	}
	sa, sb, err := interleaved(b.repetitions(15, 7), true, timed(ctx, b.novel, dir, "status"), timed(ctx, b.gitCmd, dir, "status"))
	if err != nil {
		return nil, err
	}
	res := compare(sa, sb, "git status")
	res.Chapters, res.Bar = large, 1
	return []result{res}, nil
}

func timed(
	ctx context.Context, run func(context.Context, string, ...string) (time.Duration, []byte, error), dir string, args ...string,
) func() (time.Duration, error) {
	return func() (time.Duration, error) {
		d, _, err := run(ctx, dir, args...)
		return d, err
	}
}

// rowImport measures P7. The yardstick puts the files that an import makes into a new repository.
func rowImport(ctx context.Context, b *bench) ([]result, error) {
	source, err := b.novelFile(medium)
	if err != nil {
		return nil, err
	}
	// Every round has folders of its own: some file systems look for a free place slowly just after thousands of files
	// were removed.
	ours, plain, round := "", "", 0
	imported := func() (time.Duration, error) {
		round++
		ours, plain = filepath.Join(b.dir, fmt.Sprintf("p7-ours-%d", round)), filepath.Join(b.dir, fmt.Sprintf("p7-git-%d", round))
		if err := os.RemoveAll(ours); err != nil { // of an earlier run with --dir
			return 0, err
		}
		if _, _, err := b.novel(ctx, b.dir, "init", ours); err != nil {
			return 0, err
		}
		d, _, err := b.novel(ctx, ours, "import", source, "--book", bookName)
		return d, err
	}
	yardstick := func() (time.Duration, error) {
		if err := os.RemoveAll(plain); err != nil {
			return 0, err
		}
		if _, _, err := b.gitCmd(ctx, b.dir, "init", "-q", plain); err != nil {
			return 0, err
		}
		_, list, err := b.gitCmd(ctx, ours, "ls-tree", "-r", "-z", "--name-only", "HEAD")
		if err != nil {
			return 0, err
		}
		paths := strings.FieldsFunc(string(list), func(r rune) bool { return r == 0 })
		if err := carry(ours, plain, paths); err != nil {
			return 0, err
		}
		return b.addCommit(ctx, plain, "import", nil)
	}
	sa, sb, err := interleaved(b.repetitions(5, 3), false, imported, yardstick)
	if err != nil {
		return nil, err
	}
	if err := b.sameTree(ctx, ours, plain); err != nil {
		return nil, err
	}
	res := compare(sa, sb, "git add -A + git commit of the same files")
	res.Chapters, res.Bar, res.Note = medium, 1, gitDefaults
	return []result{res}, nil
}

// rowDiff measures P8, and what both sides mark.
func rowDiff(ctx context.Context, b *bench) ([]result, error) {
	base, err := b.library(ctx, small)
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(b.dir, "p8")
	if err := b.copyTree(ctx, base, dir); err != nil {
		return nil, err
	}
	n := strconv.Itoa(diffChapter)
	path, err := b.chapterFile(ctx, dir, n)
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	edited := scatter(string(text), diffEdits, newWriter(7))
	if err := os.WriteFile(path, []byte(edited), 0o644); err != nil { //nolint:gosec // the file's own mode
		return nil, err
	}
	ours := []string{"diff", n, "--from", "HEAD"}
	theirs := []string{"diff", "--no-ext-diff", "--no-textconv", "--word-diff-regex=."}
	sa, sb, err := interleaved(b.repetitions(21, 9), true, timed(ctx, b.novel, dir, ours...), timed(ctx, b.gitCmd, dir, append(theirs, "--", path)...))
	if err != nil {
		return nil, err
	}
	res := compare(sa, sb, "git diff --word-diff-regex=.")
	res.Chapters, res.Bar = small, 1.5
	res.Marks, err = b.marks(ctx, dir, ours, append(theirs, "--word-diff=porcelain", "--", path))
	return []result{res}, err
}

// chapterFile asks for a chapter's file.
func (b *bench) chapterFile(ctx context.Context, dir, chapter string) (string, error) {
	_, out, err := b.novel(ctx, dir, "chapter-path", "--chapter", chapter)
	if err != nil {
		return "", err
	}
	path := strings.TrimSpace(string(out))
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, filepath.FromSlash(path))
	}
	return path, nil
}

// marks counts the characters that both sides mark as inserted or deleted.
func (b *bench) marks(ctx context.Context, dir string, ours, theirs []string) (*marks, error) {
	_, out, err := b.novel(ctx, dir, append(ours, "--json")...)
	if err != nil {
		return nil, err
	}
	var r struct {
		Edits []struct {
			Deleted  int `json:"deleted"`
			Inserted int `json:"inserted"`
		} `json:"edits"`
	}
	if err := json.Unmarshal(out, &r); err != nil {
		return nil, fmt.Errorf("git-novel diff --json: %w", err)
	}
	m := &marks{Bar: 1.1}
	for _, e := range r.Edits {
		m.Ours += e.Deleted + e.Inserted
	}
	_, out, err = b.gitCmd(ctx, dir, theirs...)
	if err != nil {
		return nil, err
	}
	_, out, _ = bytes.Cut(out, []byte("\n@@ "))
	for line := range bytes.SplitSeq(out, []byte("\n")) {
		if len(line) > 0 && (line[0] == '+' || line[0] == '-') {
			m.Git += utf8.RuneCount(line[1:])
		}
	}
	return m, nil
}
