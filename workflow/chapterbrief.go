package workflow

import (
	"context"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"git-novel/repo"
	"git-novel/schema"
	"git-novel/workflow/brief"
	"git-novel/workflow/prose"
	"git-novel/workflow/state"
)

// BriefInput asks for the 开写包 of a chapter.
type BriefInput struct {
	Chapter string // next (also ""), a number, a file name or a title
	Full    bool   // a longer anchor
}

// ChapterBrief is what a writer reads before the first line (reference 1.12, the light form). A part that is not known is
// empty, and Degraded says why.
type ChapterBrief struct {
	Book     string         `json:"book"`
	Chapter  string         `json:"chapter"` // key: 第03章
	File     string         `json:"file"`    // of the chapter, empty when it has none yet
	IsNext   bool           `json:"isNext"`  // it is not there yet
	Anchor   string         `json:"anchor"`  // the end of the chapter before
	Previous string         `json:"previousChapter"`
	Hook     string         `json:"previousHook"`
	Summary  []BriefSummary `json:"summaries"` // of the chapters before, oldest first
	Outline  string         `json:"outlineDirection"`
	People   []string       `json:"characters"`
	Plots    []string       `json:"openPlots"`
	World    []string       `json:"worldview"`
	Verdict  string         `json:"lastVerdict"`
	Avoid    []string       `json:"avoid"`
	Plan     BriefPlan      `json:"plan"`
	Degraded []string       `json:"degraded"`
	Chat     *ChatWriting   `json:"chatWriting,omitempty"`
}

// BriefSummary is the summary of one chapter before.
type BriefSummary struct {
	Chapter string `json:"chapter"`
	Summary string `json:"summary"`
}

// BriefPlan is what to keep to.
type BriefPlan struct {
	Checklist []string `json:"checklist"`
}

// ChatWriting is the block of the chat-writing mode (seed novel_draft).
type ChatWriting struct {
	On         bool   `json:"on"`
	MirrorDir  string `json:"mirrorDir"` // absolute
	DraftFile  string `json:"draftFile"` // absolute
	ChapterKey string `json:"chapterKey"`
	Threshold  int    `json:"threshold"` // UTF-16 units
	Checklist  string `json:"checklist"`
	HowTo      string `json:"howTo"`
}

// Limits of the brief.
const (
	anchorCompact  = 300 // UTF-16 units
	anchorFull     = 600
	briefSummaries = 3
	briefPeople    = 12
	briefPlots     = 8
	briefRules     = 8
	briefHook      = 120 // runes
	briefLine      = 200 // runes
)

const chatHowTo = `每写完一个自然段,就把这一段正文交给 novel_draft(action="commit", book, chapter, text);` +
	`nextAction=continue 就继续写下一段,=ask_user 就把 question 原样交给提问工具、把 combinedText 一起贴给用户,然后等他回答;` +
	`本章全部写完并经用户确认后,才用 novel_new_chapter 写进正式章节文件。镜像由程序维护、只给人看。`

// ChapterBrief gathers the 开写包. It only reads: no file and no folder is made. Only a book that is not there is an error.
func (s *Session) ChapterBrief(_ context.Context, in BriefInput) (*ChapterBrief, error) {
	s.makesNothing = true
	w, err := s.lookLoosely()
	if err != nil {
		return nil, err
	}
	c, err := w.briefTarget(in.Chapter)
	if err != nil {
		return nil, err
	}
	b := &ChapterBrief{
		Book: string(w.name), Chapter: string(c.Key), IsNext: c.State == schema.StateNone && c.Path == "",
		Summary: []BriefSummary{}, People: []string{}, Plots: []string{}, World: []string{}, Avoid: []string{}, Degraded: []string{},
	}
	if c.Path != "" && !c.Missing {
		b.File = path.Base(c.Path)
	}
	g := &briefing{w: w, c: c, b: b}
	g.previous(in.Full)
	g.summaries()
	g.outline()
	g.memory()
	g.hide()
	g.checklist()
	g.chat()
	return b, nil
}

// lookLoosely is look for a book that may have no records yet: a folder of chapters is enough.
func (s *Session) lookLoosely() (*work, error) {
	snap, err := s.lib.Snapshot()
	if err != nil {
		return nil, err
	}
	name, err := s.draftBook()
	if err != nil {
		return nil, err
	}
	books, err := repo.Books(snap)
	if err != nil {
		return nil, err
	}
	if slices.Contains(books, name) {
		return s.gatherBook(snap, name, false)
	}
	folders, err := s.lib.ListFolders(schema.NovelsDir)
	if err != nil {
		return nil, err
	}
	if slices.Contains(folders, schema.BookDir(name)) {
		return s.gatherBook(snap, name, true)
	}
	return nil, schema.Errorf(schema.CodeNotFound, schema.BookFolderMissing, s.abs(schema.BookDir(name)))
}

// briefTarget is the chapter that the brief is for.
func (w *work) briefTarget(arg string) (*state.Chapter, error) {
	if a := schema.TrimJS(arg); a != "" && a != "next" {
		c, err := w.readable(a)
		if schema.CodeOf(err) != schema.CodeNotFound || err == nil {
			return c, err
		}
		return w.resolveOrNew(a)
	}
	key, err := w.nextKey()
	if err != nil {
		return nil, err
	}
	return w.chapter(key), nil
}

// briefing fills a brief.
type briefing struct {
	w *work
	c *state.Chapter
	b *ChapterBrief
}

func (g *briefing) degrade(what string) { g.b.Degraded = append(g.b.Degraded, what) }

// previous takes the end of the chapter before.
func (g *briefing) previous(full bool) {
	before := g.w.before(g.c)
	if len(before) == 0 {
		g.degrade("前一章:没有(这是第一章)")
		return
	}
	last := before[len(before)-1]
	g.b.Previous = string(last.Key)
	text, err := g.w.chapterBytes(last)
	if err != nil || !utf8.Valid(text) {
		g.degrade("上章结尾:" + string(last.Key) + " 的正文读不出来")
		return
	}
	limit := anchorCompact
	if full {
		limit = anchorFull
	}
	g.b.Anchor = tailOf(string(text), limit)
	g.b.Hook = g.hook(last, string(text))
	if r := last.Review; r != nil {
		g.b.Verdict = verdictText(last)
	}
}

// hook is the question that the last chapter left open: its outline's word, else its last paragraph.
func (g *briefing) hook(last *state.Chapter, text string) string {
	if o, err := g.w.outline(last.Key); err == nil && o != nil {
		if v := o.Content.Values("chapter_end_open_question"); len(v) > 0 {
			return strings.Join(v, "；")
		}
	}
	lines := strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' })
	for _, line := range slices.Backward(lines) {
		if line = schema.TrimJS(line); line != "" && !strings.HasPrefix(line, "#") {
			return tailRunes(line, briefHook)
		}
	}
	return ""
}

func verdictText(c *state.Chapter) string {
	if open := len(c.Review.Open); open > 0 {
		return string(c.Key) + " 的审查还有 " + strconv.Itoa(open) + " 个阻断问题"
	}
	if c.Stale() {
		return string(c.Key) + " 审查通过后又改过，凭证已过期"
	}
	return string(c.Key) + " 审查通过（第 " + strconv.Itoa(c.Review.Round) + " 轮）"
}

func (g *briefing) summaries() {
	sums, err := g.w.summaries()
	if err != nil {
		g.degrade("前情摘要:摘要文件读不出来")
		return
	}
	before := g.w.before(g.c)
	for _, x := range before[max(0, len(before)-briefSummaries):] {
		if e, ok := sums.Find(x.Key); ok {
			g.b.Summary = append(g.b.Summary, BriefSummary{Chapter: e.Chapter, Summary: e.Summary})
		}
	}
	if len(before) > 0 && len(g.b.Summary) == 0 {
		g.degrade("前情摘要:前几章都还没有摘要")
	}
}

// outline takes the direction from the chapter's outline, as far as the writer may see it, else from the line of the plot
// outline that an author keeps in the folder of materials.
// hide takes what the outline's policy transforms out of every part, whatever source it came from, as the task book does.
func (g *briefing) hide() {
	o, err := g.w.outline(g.c.Key)
	if err != nil || o == nil {
		return
	}
	e := brief.ExposureOf(o)
	if !e.Hides() {
		return
	}
	b := g.b
	for _, text := range []*string{&b.Anchor, &b.Hook, &b.Outline, &b.Verdict} {
		*text = e.Hide(*text)
	}
	for i := range b.Summary {
		b.Summary[i].Summary = e.Hide(b.Summary[i].Summary)
	}
	for _, list := range []*[]string{&b.People, &b.Plots, &b.World, &b.Avoid} {
		kept := []string{}
		for _, x := range *list {
			if x = e.Hide(x); x != "" {
				kept = append(kept, x)
			}
		}
		*list = kept
	}
}

func (g *briefing) outline() {
	o, err := g.w.outline(g.c.Key)
	switch {
	case err != nil:
		g.degrade("章纲:文件损坏，读不出来")
		return
	case o == nil:
		if g.b.Outline = g.plotLine(); g.b.Outline == "" {
			g.degrade("章纲:本章没有章纲")
		}
		return
	}
	shown := func(field string) bool { return o.Exposure.Shows(field) }
	var parts []string
	if o.Content.Goal != "" && shown("chapter_goal") {
		parts = append(parts, o.Content.Goal)
	}
	if shown("must_payoff") {
		for _, p := range o.Content.MustPayoff {
			parts = append(parts, "必须兑现："+p)
		}
	}
	for _, n := range o.Nodes() {
		if field, ok := nodeField(n.Type); ok && shown(field) {
			parts = append(parts, n.Type+"："+n.Text)
		}
	}
	g.b.Outline = strings.Join(parts, "\n")
	if shown("forbidden_turns") {
		g.b.Avoid = append(g.b.Avoid, o.Content.Forbidden...)
	}
}

// nodeField is the outline's field that holds nodes of a type.
func nodeField(typ string) (string, bool) {
	switch typ {
	case schema.NodeCBN:
		return "cbn", true
	case schema.NodeCPN:
		return "cpns", true
	case schema.NodeCEN:
		return "cen", true
	case schema.NodeMustCover:
		return "must_cover_nodes", true
	}
	return "", false
}

// plotLine is the entry of this chapter in 剧情大纲.md, up to the next heading or entry with a number.
func (g *briefing) plotLine() string {
	n, numbered := g.c.Key.Number()
	if !numbered {
		return ""
	}
	data, err := g.w.s.lib.ReadFile(schema.MaterialDir + "/" + string(g.w.name) + "/剧情大纲.md")
	if err != nil {
		return ""
	}
	var out []string
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		m, isEntry := schema.ParseNumber(strings.TrimLeft(line, "#-*> \t"))
		switch {
		case isEntry && m == n:
			out = append(out, strings.TrimLeft(line, "#-*> \t"))
		case len(out) > 0 && (isEntry || strings.HasPrefix(line, "#")):
			return prose.Cut(strings.Join(out, "\n"), briefLine)
		case len(out) > 0 && line != "":
			out = append(out, line)
		}
	}
	return prose.Cut(strings.Join(out, "\n"), briefLine)
}

// memory takes what the committed chapters recorded.
func (g *briefing) memory() {
	v := g.w.memoryBefore(g.c)
	for _, e := range v.Entities() {
		if len(g.b.People) < briefPeople && e.Type == "角色" {
			g.b.People = append(g.b.People, personText(e))
		}
		if e.Dead {
			g.b.Avoid = append(g.b.Avoid, e.Name+" 已死，不得说话或行动，除非写明是回忆")
		}
	}
	for _, l := range v.Loops("") {
		if len(g.b.Plots) < briefPlots {
			g.b.Plots = append(g.b.Plots, loopText(l))
		}
	}
	for _, r := range v.Rules("", "") {
		if len(g.b.World) < briefRules {
			g.b.World = append(g.b.World, ruleLine(r))
		}
	}
	files, err := g.w.s.settings(g.w)
	if err != nil {
		g.degrade("设定:设定文件读不出来")
		return
	}
	for _, f := range files {
		if len(g.b.World) < briefRules {
			g.b.World = append(g.b.World, settingLine(f))
		}
	}
	if len(g.b.People) == 0 {
		g.degrade("人物:还没有记录在案的人物")
	}
	if len(g.b.Plots) == 0 {
		g.degrade("伏笔:还没有记录在案的未收伏笔")
	}
}

func settingLine(f brief.Chapter) string {
	for line := range strings.Lines(f.Text) {
		if line = schema.TrimJS(strings.TrimLeft(line, "# ")); line != "" {
			return f.Name + "：" + prose.Cut(line, briefHook)
		}
	}
	return f.Name
}

func (g *briefing) checklist() {
	list := []string{"先读完本开写包再动笔;第一步是写,不是问人"}
	if g.b.Anchor != "" {
		list = append(list, "接住上章结尾:时间、地点、人物状态与「"+g.b.Previous+"」末尾衔接")
	}
	if g.b.Outline != "" {
		list = append(list, "按章纲方向推进,不另起主线")
	}
	if len(g.b.Plots) > 0 {
		list = append(list, "未收伏笔至少推进一条,不要悄悄遗忘")
	}
	if len(g.b.Avoid) > 0 {
		list = append(list, "逐条避开禁区")
	}
	if n := g.w.cfg.Chapters.MinChars; n > 0 {
		list = append(list, "正文不少于 "+strconv.Itoa(n)+" 个汉字")
	}
	g.b.Plan.Checklist = list
}

// chat adds the block of the chat-writing mode. It works paths out and makes nothing.
func (g *briefing) chat() {
	st, err := g.w.s.switches()
	if err != nil || !st.ChatWritingOn() {
		return
	}
	d, err := g.w.s.lib.Draft(g.w.name, string(g.c.Key))
	if err != nil {
		g.degrade(schema.ChatBriefDegraded)
		return
	}
	g.b.Chat = &ChatWriting{
		On: true, MirrorDir: g.w.s.abs(d.Dir), DraftFile: g.w.s.abs(d.Mirror), ChapterKey: d.Key, Threshold: st.Threshold(),
		Checklist: schema.ChatModeChecklist, HowTo: chatHowTo,
	}
	g.b.Plan.Checklist = append(g.b.Plan.Checklist, schema.ChatModeChecklist)
}
