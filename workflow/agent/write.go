package agent

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"git-novel/schema"
	"git-novel/workflow/prose"
)

// WriteInput is what builtin:writer takes the text from: a text that is given, else the segments of the draft mirror.
type WriteInput struct {
	Text     string   // from --file, --file-dir or standard input; not blank: taken as it is
	Segments []string // of the mirror, in order
	Choice   string   // --segments, "" for all
}

// Write gives the text of a chapter. Segments are joined by a blank line. When two of them are similar and nothing was
// chosen it is CodeRule with the pairs as details; when there is nothing to write from, CodeUsage.
func Write(in WriteInput) (string, error) {
	if strings.TrimSpace(in.Text) != "" {
		return in.Text, nil
	}
	if len(in.Segments) == 0 {
		return "", schema.Errorf(schema.CodeUsage, "there is no text: no file was given and the draft mirror has no segment").
			WithHint("give the text with --file F, or write a draft first with `git novel draft commit`")
	}
	var pick []int
	if in.Choice != "" {
		var err error
		if pick, err = ParseSegments(in.Choice, len(in.Segments)); err != nil {
			return "", err
		}
	} else {
		if pairs := SimilarSegments(in.Segments); len(pairs) > 0 {
			return "", similar(in.Segments, pairs)
		}
		for i := range in.Segments {
			pick = append(pick, i+1)
		}
	}
	parts := make([]string, 0, len(pick))
	for _, i := range pick {
		if s := strings.TrimSpace(in.Segments[i-1]); s != "" {
			parts = append(parts, s)
		}
	}
	if len(parts) == 0 {
		return "", schema.Errorf(schema.CodeUsage, "the chosen segments are blank").
			WithHint("choose others with --segments, or give the text with --file F")
	}
	return strings.Join(parts, "\n\n") + "\n", nil
}

func similar(segs []string, pairs []Pair) error {
	err := schema.Errorf(schema.CodeRule, "some segments of the draft are alike: a later one may correct an earlier one")
	for _, p := range pairs {
		err = err.WithDetails(schema.Fault{
			Field: fmt.Sprintf("%d,%d", p.A, p.B), Rule: "similar-segments",
			Msg: schema.Textf("segments %d and %d are alike (%d %%): %q / %q", p.A, p.B, int(p.Share*100+0.5),
				prose.Cut(firstLine(segs[p.A-1]), 24), prose.Cut(firstLine(segs[p.B-1]), 24)),
		})
	}
	return err.WithHint("say which segments make the chapter, in order: --segments %s", suggestion(len(segs), pairs))
}

// suggestion keeps the later one of each pair, in the earlier one's place: what a correction usually means.
func suggestion(n int, pairs []Pair) string {
	at := make([]int, n+1)
	for i := range at {
		at[i] = i
	}
	for _, p := range pairs {
		if at[p.A] != 0 {
			at[p.A], at[p.B] = p.B, 0
		}
	}
	order := slices.DeleteFunc(at, func(i int) bool { return i == 0 })
	var parts []string
	for i := 0; i < len(order); {
		j := i
		for j+1 < len(order) && order[j+1] == order[j]+1 {
			j++
		}
		part := strconv.Itoa(order[i])
		if j > i {
			part += "-" + strconv.Itoa(order[j])
		}
		parts = append(parts, part)
		i = j + 1
	}
	return strings.Join(parts, ",")
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	return s
}
