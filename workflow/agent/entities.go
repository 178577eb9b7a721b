package agent

import (
	"slices"
	"strings"

	"git-novel/schema"
	"git-novel/workflow/memory"
	"git-novel/workflow/prose"
)

// Entity is somebody or something that the data agent knows by name.
type Entity struct {
	ID      string
	Name    string
	Type    string // 角色, 地点, 物品 …; "" is taken for 角色
	Tier    string
	Aliases []string
	Known   bool // the memory has it already
}

func (e Entity) names() []string {
	out := []string{e.Name}
	for _, a := range e.Aliases {
		if a != "" && !slices.Contains(out, a) {
			out = append(out, a)
		}
	}
	return out
}

// SettingsFile is one file of settings/.
type SettingsFile struct {
	Name string // e.g. 人物.md
	Text string
}

var (
	settingHead  = schema.Pattern(`^#{2,4}\s+(.+?)\s*$`)
	settingItem  = schema.Pattern(`^[-*]\s+\*\*(.+?)\*\*`)
	settingAlias = schema.Pattern(`(?:别名|别称|又名|又称|外号|人称|小名|绰号)[：:]?\s*([^。；;（）()\n]+)`)
	nameOnly     = schema.Pattern(`^[\p{Han}A-Za-z0-9·•．.\- ]{2,12}$`)
)

// settingTypes says what the headings of a settings file name, by a word in the file's name.
//
//nolint:gochecknoglobals // a table that is never written
var settingTypes = []struct{ word, typ string }{
	{"人物", "角色"},
	{"角色", "角色"},
	{"主角", "角色"},
	{"反派", "角色"},
	{"character", "角色"},
	{"地点", "地点"},
	{"地理", "地点"},
	{"物品", "物品"},
	{"道具", "物品"},
	{"组织", "组织"},
	{"势力", "组织"},
}

// noNames are headings that a settings file has besides names. A word like 说明 would be found in every chapter.
//
//nolint:gochecknoglobals // a table that is never written
var noNames = []string{
	"说明", "备注", "设定", "关系", "人物关系", "概述", "简介", "背景", "性格", "外貌", "主角", "配角", "反派", "人物", "角色", "主要人物",
	"次要人物", "主要角色", "次要角色", "其他", "其它", "动机", "目标", "能力", "经历", "身份", "年龄", "地点", "物品", "组织", "势力", "总览", "名单", "待定",
}

// EntitiesOf reads names out of settings files whose name says what they list (人物.md, 地点.md …): each heading of level 2
// to 4 and each list item that begins with a bold name, with 别名：甲、乙 on the heading's or the following lines as aliases.
// Headings that are no names, and other files, are passed over.
func EntitiesOf(files []SettingsFile) []Entity {
	var out []Entity
	for _, f := range files {
		typ := ""
		for _, t := range settingTypes {
			if strings.Contains(strings.ToLower(f.Name), t.word) {
				typ = t.typ
				break
			}
		}
		if typ == "" {
			continue
		}
		current := -1
		for line := range strings.Lines(f.Text) {
			line = strings.TrimSpace(line)
			name, rest := "", line
			if m := settingHead().FindStringSubmatch(line); m != nil {
				name = m[1]
			} else if m := settingItem().FindStringSubmatch(line); m != nil {
				name = m[1]
			}
			if name != "" {
				name, _, _ = strings.Cut(strings.NewReplacer("（", "(", "：", "(", ":", "(", "——", "(").Replace(name), "(")
				current = -1
				if name = strings.TrimSpace(name); nameOnly().MatchString(name) && !slices.Contains(noNames, name) {
					out = append(out, Entity{ID: name, Name: name, Type: typ})
					current = len(out) - 1
				}
			}
			if current >= 0 {
				for _, m := range settingAlias().FindAllStringSubmatch(rest, -1) {
					for a := range strings.FieldsFuncSeq(m[1], func(r rune) bool { return strings.ContainsRune("、，,/ ", r) }) {
						if a = strings.Trim(a, "「」“”\"*"); a != "" {
							out[current].Aliases = append(out[current].Aliases, a)
						}
					}
				}
			}
		}
	}
	return out
}

// roster joins what the memory, the settings and the outline know, each entity once.
type roster struct {
	list  []Entity
	owner map[string][]int // folded name → who is called so
}

func newRoster(v *memory.View, known []Entity, outline *schema.Outline) *roster {
	r := &roster{owner: map[string][]int{}}
	if v != nil {
		for _, e := range v.Entities() {
			r.add(Entity{ID: e.ID, Name: e.Name, Type: e.Type, Tier: e.Tier, Aliases: e.Aliases, Known: true})
		}
	}
	for _, e := range known {
		r.merge(e)
	}
	if outline != nil {
		for _, k := range outline.Content.KeyEntities {
			name, _, _ := strings.Cut(strings.ReplaceAll(k, "（", "("), "(")
			if name = strings.TrimSpace(name); name != "" {
				r.merge(Entity{ID: name, Name: name})
			}
		}
	}
	return r
}

func (r *roster) add(e Entity) {
	r.list = append(r.list, e)
	for _, n := range append(e.names(), e.ID) {
		r.own(n, len(r.list)-1)
	}
}

func (r *roster) own(name string, i int) {
	if key := prose.Fold(name); key != "" && !slices.Contains(r.owner[key], i) {
		r.owner[key] = append(r.owner[key], i)
	}
}

// merge adds an entity, or its aliases to the one that already has its name.
func (r *roster) merge(e Entity) {
	at := r.owner[prose.Fold(e.Name)]
	if len(at) == 0 {
		r.add(e)
		return
	}
	i := at[0]
	if r.list[i].Type == "" {
		r.list[i].Type = e.Type
	}
	for _, a := range e.Aliases {
		if !slices.Contains(r.list[i].names(), a) {
			r.list[i].Aliases = append(slices.Clone(r.list[i].Aliases), a)
			r.own(a, i)
		}
	}
}

// names gives every name of whoever is called term; nil when nobody or more than one is.
func (r *roster) names(term string) []string {
	if at := r.owner[prose.Fold(term)]; len(at) == 1 {
		return r.list[at[0]].names()
	}
	return nil
}
