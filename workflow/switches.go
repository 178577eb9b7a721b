package workflow

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"git-novel/repo"
	"git-novel/schema"
)

// featureChatWriting is the name that the older tool has for the chat-writing switch.
const featureChatWriting = "chatWriting"

// switches reads the library's switches as they lie on disk, once for a command. A damaged file is read as far as it goes,
// and said so.
func (s *Session) switches() (*schema.LibraryState, error) {
	if s.state != nil {
		return s.state, nil
	}
	st, err := s.readSwitches()
	s.state = st
	return st, err
}

func (s *Session) readSwitches() (*schema.LibraryState, error) {
	data, err := s.lib.ReadFile(schema.LibraryStatePath)
	if err != nil {
		if schema.CodeOf(err) == schema.CodeNotFound {
			return &schema.LibraryState{}, nil
		}
		return nil, err
	}
	st, faults := schema.ParseLibraryState(schema.LibraryStatePath, data)
	if len(faults) > 0 {
		s.notice(schema.Textf("%s has faults and is read as far as it goes: %s", schema.LibraryStatePath, faults[0].Msg))
	}
	return st, nil
}

// ToolAllowed refuses a tool that was switched off, with the seed's text: CodeRule.
func (s *Session) ToolAllowed(name string) error {
	st, err := s.switches()
	if err != nil {
		return err
	}
	t, ok := schema.FindTool(name)
	if !ok || name == schema.ToolConfig || st.ToolOn(name) {
		return nil
	}
	return schema.Errorf(schema.CodeRule, schema.ToolOff, t.Name, t.Label)
}

// ToolSwitch is one tool with its switch.
type ToolSwitch struct {
	Name  string `json:"name"`
	Label string `json:"label"`
	On    bool   `json:"on"`
}

// Switches is what the library's switches say (DESIGN 3, state.json).
type Switches struct {
	ChatWriting   bool            `json:"chatWriting"`
	ChatThreshold int             `json:"chatThreshold"` // that counts, UTF-16 units
	Stored        *int            `json:"storedThreshold"`
	Tools         []ToolSwitch    `json:"tools"`
	Features      map[string]bool `json:"features"`
	Changed       []string        `json:"changed,omitempty"` // what this call set
	Ignored       []string        `json:"ignored,omitempty"` // what this call was given and left out (reference K9)
	Commit        string          `json:"commit,omitempty"`
}

// SwitchesInput is a change of the switches. What is nil stays.
type SwitchesInput struct {
	Tools         map[string]bool
	Features      map[string]bool
	ChatWriting   *bool
	ChatThreshold *json.RawMessage // any JSON value; ParseChatThreshold says what it does
}

func (in *SwitchesInput) empty() bool {
	return in.Tools == nil && in.Features == nil && in.ChatWriting == nil && in.ChatThreshold == nil
}

// Switches gives the library's switches.
func (s *Session) Switches(_ context.Context) (*Switches, error) {
	st, err := s.switches()
	if err != nil {
		return nil, err
	}
	return viewSwitches(st), nil
}

func viewSwitches(st *schema.LibraryState) *Switches {
	r := &Switches{ChatWriting: st.ChatWritingOn(), ChatThreshold: st.Threshold(), Features: map[string]bool{}}
	if st.ChatThreshold != 0 {
		r.Stored = &st.ChatThreshold
	}
	for _, t := range schema.Tools() {
		r.Tools = append(r.Tools, ToolSwitch{Name: t.Name, Label: t.Label, On: t.Name == schema.ToolConfig || st.ToolOn(t.Name)})
	}
	maps.Copy(r.Features, st.Features)
	r.Features[featureChatWriting] = r.ChatWriting
	return r
}

// SetSwitches changes the library's switches in one commit; a change that changes nothing makes none. Unknown tools and a
// try to switch the settings tool off are CodeInvalid, all of them at once. A damaged state.json is not overwritten.
func (s *Session) SetSwitches(ctx context.Context, in SwitchesInput) (*Switches, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	if in.empty() {
		return s.Switches(ctx)
	}
	var r *Switches
	s.state = nil
	res, err := s.lib.Update(ctx, func(tx *repo.Tx) error {
		data, err := s.lib.ReadFile(schema.LibraryStatePath)
		seen := schema.HashBlob(data)
		if schema.CodeOf(err) == schema.CodeNotFound && err != nil {
			data, seen, err = nil, schema.OID{}, nil
		}
		if err != nil {
			return err
		}
		st := &schema.LibraryState{}
		if len(data) > 0 {
			var faults []schema.Fault
			if st, faults = schema.ParseLibraryState(schema.LibraryStatePath, data); len(faults) > 0 {
				return schema.Errorf(schema.CodeInvalid, "%s has faults and is not overwritten", schema.LibraryStatePath).WithDetails(faults...).
					WithHint("repair it by hand, or see its history with `git log -p -- %s`", schema.LibraryStatePath)
			}
		}
		changed, ignored := in.apply(st)
		r = viewSwitches(st)
		r.Changed, r.Ignored = changed, ignored
		if len(changed) == 0 {
			return nil
		}
		out, err := st.Render(data)
		if err != nil {
			return err
		}
		tx.Message(s.message(schema.Message{Verb: schema.VerbConfig, Subject: strings.Join(changed, ", ")}))
		return tx.Replace(schema.LibraryStatePath, out, seen)
	})
	if err != nil {
		return nil, err
	}
	if res.Changed {
		r.Commit = res.Commit.String()
	}
	return r, nil
}

func (in *SwitchesInput) check() error {
	var faults []schema.Fault
	for _, name := range slices.Sorted(maps.Keys(in.Tools)) {
		switch _, known := schema.FindTool(name); {
		case !known:
			faults = append(faults, schema.Fault{Field: "tools." + name, Rule: "tool-unknown", Msg: schema.Textf("there is no tool of this name")})
		case name == schema.ToolConfig && !in.Tools[name]:
			faults = append(faults, schema.Fault{
				Field: "tools." + name, Rule: "tool-needed", Msg: schema.Textf("the settings tool cannot switch itself off"),
			})
		}
	}
	if on, ok := in.Features[featureChatWriting]; ok && in.ChatWriting != nil && on != *in.ChatWriting {
		faults = append(faults, schema.Fault{
			Field: featureChatWriting, Rule: "switch-twice", Msg: schema.Textf("chatWriting and features.chatWriting say different things"),
		})
	}
	if len(faults) == 0 {
		return nil
	}
	return schema.Errorf(schema.CodeInvalid, "the settings cannot be changed like this").WithDetails(faults...).
		WithHint("call novel_sentence_config without arguments to see the settings and the names of the tools")
}

// apply puts the change into st and names what it changed and what it left out.
func (in *SwitchesInput) apply(st *schema.LibraryState) (changed, ignored []string) {
	set := func(m *map[string]bool, prefix string, values map[string]bool) {
		for _, name := range slices.Sorted(maps.Keys(values)) {
			if was, there := (*m)[name]; there && was == values[name] {
				continue
			}
			if *m == nil {
				*m = map[string]bool{}
			}
			(*m)[name] = values[name]
			changed = append(changed, fmt.Sprintf("%s%s = %v", prefix, name, values[name]))
		}
	}
	features := maps.Clone(in.Features)
	chat := in.ChatWriting
	if on, ok := features[featureChatWriting]; ok {
		chat = &on
		delete(features, featureChatWriting) // one switch, one place: the top-level one
	}
	set(&st.Tools, "tools.", in.Tools)
	set(&st.Features, "features.", features)
	if chat != nil && st.ChatWritingOn() != *chat {
		changed = append(changed, fmt.Sprintf("chatWriting = %v", *chat))
		on := *chat
		st.ChatWriting = &on
		if _, old := st.Features[featureChatWriting]; old {
			st.Features[featureChatWriting] = on
		}
	}
	if in.ChatThreshold == nil {
		return changed, ignored
	}
	var v any
	dec := json.NewDecoder(strings.NewReader(string(*in.ChatThreshold)))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		return changed, append(ignored, "chatThreshold")
	}
	switch n, change := schema.ParseChatThreshold(v); {
	case change == schema.ThresholdIgnore:
		ignored = append(ignored, "chatThreshold")
	case n == st.ChatThreshold: // ThresholdClear gives 0
	case change == schema.ThresholdClear:
		st.ChatThreshold = 0
		changed = append(changed, "chatThreshold = default")
	default:
		st.ChatThreshold = n
		changed = append(changed, fmt.Sprintf("chatThreshold = %d", n))
	}
	return changed, ignored
}
