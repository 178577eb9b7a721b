package workflow

import (
	"context"
	"slices"
	"strings"

	"git-novel/schema"
	"git-novel/workflow/genre"
	"git-novel/workflow/prose"
)

// OutlineReport is what outlines of a book say and where they are thin.
type OutlineReport struct {
	Book     string         `json:"book"`
	Outlines []OutlineCheck `json:"outlines"`
}

// OutlineCheck is one outline: its nodes, what the writer sees of it, where it stands in the book.
type OutlineCheck struct {
	Chapter   string            `json:"chapter"`
	Key       string            `json:"key"`
	Title     string            `json:"title"`
	Nodes     []schema.Node     `json:"planned_nodes"`
	Verbatim  []string          `json:"verbatim_fields"`  // filled fields that the writer sees word for word
	Transform map[string]string `json:"transform_fields"` // filled fields that the writer sees only as told here
	Volume    *schema.Volume    `json:"volume"`
	Strand    string            `json:"strand_profile"` // the profile that counts
	Warnings  []schema.Text     `json:"warnings"`
}

// OutlineCheck validates one outline, or all of the book when chapter is empty. Outlines that cannot stand are refused
// (CodeInvalid) with every fault of all of them; what is only thin is a warning.
func (s *Session) OutlineCheck(_ context.Context, chapter string) (*OutlineReport, error) {
	w, err := s.look()
	if err != nil {
		return nil, err
	}
	ids, err := w.outlined(chapter)
	if err != nil {
		return nil, err
	}
	volumes, err := w.volumes()
	faults := []schema.Fault{}
	if err != nil {
		faults = append(faults, faultsOf(err)...)
	}
	faults = append(faults, volumes.Validate(schema.VolumesPath(w.name))...)
	set := s.genres()
	r := &OutlineReport{Book: string(w.name), Outlines: []OutlineCheck{}}
	for _, id := range ids {
		o, bad, err := w.readOutline(id)
		if err != nil {
			return nil, err
		}
		if faults = append(faults, bad...); o != nil {
			row := checkOutline(o, volumes, set, w.cfg)
			faults = append(faults, contradictions(schema.OutlinePath(w.name, id), o)...)
			r.Outlines = append(r.Outlines, row)
		}
	}
	if len(faults) > 0 {
		return nil, schema.Errorf(schema.CodeInvalid, "the outlines of %s have %d faults", string(w.name), len(faults)).WithDetails(faults...).
			WithHint("correct them in the files, or store a new outline with `git novel outline set N --file F`")
	}
	return r, nil
}

// outlined gives the chapter ids that have outlines, in the order of the book.
func (w *work) outlined(chapter string) ([]string, error) {
	if chapter != "" {
		c, err := w.resolveOrNew(chapter)
		if err != nil {
			return nil, err
		}
		if !w.has(schema.OutlinePath(w.name, c.Key.ID())) {
			return nil, schema.Errorf(schema.CodeNotFound, "chapter %s has no outline", string(c.Key)).
				WithHint("store one with `git novel outline set %s --file F`", arg(c.Key))
		}
		return []string{c.Key.ID()}, nil
	}
	dirs, err := w.s.lib.ListFolders(schema.RecordsDir(w.name))
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, d := range dirs {
		if id := d[strings.LastIndexByte(d, '/')+1:]; w.has(schema.OutlinePath(w.name, id)) {
			ids = append(ids, id)
		}
	}
	place := map[string]int{}
	for i, c := range w.rules.Chapters {
		place[c.Key.ID()] = i - len(w.rules.Chapters)
	}
	slices.SortStableFunc(ids, func(a, b string) int { return place[a] - place[b] })
	return ids, nil
}

// readOutline reads an outline as strictly as one that is handed in, so that every fault has its line.
func (w *work) readOutline(id string) (*schema.Outline, []schema.Fault, error) {
	path := schema.OutlinePath(w.name, id)
	data, err := w.s.lib.ReadFile(path)
	if schema.CodeOf(err) == schema.CodeNotFound {
		data, _, err = w.snap.Read(path)
	}
	if err != nil {
		return nil, nil, err
	}
	o := new(schema.Outline)
	if schema.Unmarshal(path, data, o) == nil && o.Content.Goal == "" && strings.TrimSpace(o.Note) != "" {
		return o, o.Validate(path), nil // only the author's note so far
	}
	o, err = schema.ParseOutline(path, data, id)
	if err != nil {
		return nil, faultsOf(err), nil
	}
	return o, nil, nil
}

func checkOutline(o *schema.Outline, volumes schema.Volumes, set *genre.Set, cfg *schema.Config) OutlineCheck {
	row := OutlineCheck{
		Chapter: o.Chapter, Key: string(schema.KeyOfID(o.Chapter)), Title: o.Title, Nodes: nonNil(o.Nodes()), Verbatim: []string{},
		Transform: map[string]string{}, Warnings: []schema.Text{},
	}
	warn := func(format string, args ...any) {
		row.Warnings = append(row.Warnings, schema.Text{Format: format, Args: args})
	}
	for _, f := range schema.OutlineFields() {
		switch {
		case len(o.Content.Values(f)) == 0:
		case o.Exposure.Shows(f):
			row.Verbatim = append(row.Verbatim, f)
		default:
			row.Transform[f] = o.Exposure.Transform[f]
		}
	}
	row.thin(o, warn)
	row.leaks(o, warn)
	row.inVolume(o, volumes, warn)
	if p, ok := set.ProfileOf(o.Content.Strand, cfg.Strand, cfg.Genre); ok {
		row.Strand = p.Name
	} else if name := orElse(o.Content.Strand, cfg.Strand); name != "" {
		warn(strandUnknown, name, strings.Join(set.Names(), ", "))
	}
	return row
}

// The warnings of an outline.
const (
	outlineNoteOnly = "there is only a note so far; the outline has no goal"
	outlineNoNodes  = "no node is planned: the chapter commit has nothing to hold the text against"
	outlineNoCBN    = "no CBN: nothing says what the chapter begins with"
	outlineNoRole   = "no narrative role: nothing says what the chapter is for in its volume"
	outlineTells    = "%s tells the value of %s, which the writer may only see transformed; the words will be left out of the context"
	volumeNone      = "chapter %d lies in no volume of volumes.json"
	volumeNoRole    = "volume %d has no narrative role"
	strandUnknown   = "the strand profile %q is not known; there are: %s"
)

func (row *OutlineCheck) thin(o *schema.Outline, warn func(string, ...any)) {
	switch {
	case o.Content.Goal == "":
		warn(outlineNoteOnly)
		return
	case len(row.Nodes) == 0:
		warn(outlineNoNodes)
	case strings.TrimSpace(o.Content.CBN) == "":
		warn(outlineNoCBN)
	}
	if strings.TrimSpace(o.Content.Role) == "" {
		warn(outlineNoRole)
	}
}

// leaks looks for values of transformed fields in fields that the writer sees.
func (row *OutlineCheck) leaks(o *schema.Outline, warn func(string, ...any)) {
	for _, hidden := range schema.OutlineFields() {
		if o.Exposure.Shows(hidden) {
			continue
		}
		for _, v := range o.Content.Values(hidden) {
			secret := prose.Fold(v)
			if len([]rune(secret)) < 2 {
				continue
			}
			for _, f := range row.Verbatim {
				if strings.Contains(prose.Fold(strings.Join(o.Content.Values(f), "\n")), secret) {
					warn(outlineTells, f, hidden)
				}
			}
		}
	}
}

func (row *OutlineCheck) inVolume(o *schema.Outline, volumes schema.Volumes, warn func(string, ...any)) {
	n, numbered := schema.KeyOfID(o.Chapter).Number()
	if !numbered || len(volumes.Volumes) == 0 {
		return
	}
	v, ok := volumes.Of(n)
	if !ok {
		warn(volumeNone, n)
		return
	}
	row.Volume = &v
	if v.Role == "" {
		warn(volumeNoRole, v.Number)
	}
}

// contradictions are fields that cannot both hold: a turn that is planned and forbidden.
func contradictions(file string, o *schema.Outline) []schema.Fault {
	var out []schema.Fault
	for _, n := range append(o.Nodes(), payoffNodes(o)...) {
		for _, f := range o.Content.Forbidden {
			if prose.Fold(f) != "" && prose.Fold(f) == prose.Fold(n.Text) {
				out = append(out, schema.Fault{
					File: file, Field: "content.forbidden_turns", Rule: "outline-contradiction",
					Msg: schema.Textf("%q is both planned and forbidden", f),
				})
			}
		}
	}
	return out
}

func payoffNodes(o *schema.Outline) []schema.Node {
	var out []schema.Node
	for _, p := range o.Content.MustPayoff {
		out = append(out, schema.Node{Text: p})
	}
	return out
}
