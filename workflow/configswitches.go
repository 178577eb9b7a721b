package workflow

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"git-novel/schema"
)

// The switches of state.json under the names that `git novel config` knows them by. The values and the rules are those of
// novel_sentence_config.
const (
	keyChatWriting   = "chatWriting"
	keyChatThreshold = "chatThreshold"
	toolKeyPrefix    = "tools."
)

// isSwitch reports a setting that is a switch of state.json.
func isSwitch(name string) bool {
	return name == keyChatWriting || name == keyChatThreshold || strings.HasPrefix(name, toolKeyPrefix)
}

// switchSettings gives the switches as settings.
func (s *Session) switchSettings() ([]Setting, error) {
	st, err := s.switches()
	if err != nil {
		return nil, err
	}
	row := func(key, value, def string, set bool, about schema.Text) Setting {
		r := Setting{Key: key, Value: value, Default: def, Source: sourceDefault, About: about}
		r.Sources = []SettingSource{{Source: sourceDefault, Value: def, Counts: !set}}
		if set {
			r.Source = schema.LibraryStatePath
			r.Sources = append(r.Sources, SettingSource{Source: r.Source, Value: value, Counts: true})
		}
		return r
	}
	_, old := st.Features[featureChatWriting]
	out := []Setting{
		row(keyChatWriting, strconv.FormatBool(st.ChatWritingOn()), "false", st.ChatWriting != nil || old,
			schema.Textf("whether an agent hands in a chapter paragraph by paragraph and asks in between")),
		row(keyChatThreshold, strconv.Itoa(st.Threshold()), strconv.Itoa(schema.DefaultChatThreshold), st.ChatThreshold != 0,
			schema.Textf("how many characters may pend before an agent has to ask; 0 clears it")),
	}
	for _, t := range schema.Tools() {
		if t.Name == schema.ToolConfig {
			continue
		}
		_, set := st.Tools[t.Name]
		out = append(out, row(toolKeyPrefix+t.Name, strconv.FormatBool(st.ToolOn(t.Name)), "true", set,
			schema.Textf("whether agents may use the tool")))
	}
	return out, nil
}

func (s *Session) getSwitch(name string) (*Setting, error) {
	rows, err := s.switchSettings()
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(rows, func(r Setting) bool { return r.Key == name }); i >= 0 {
		return &rows[i], nil
	}
	return nil, schema.Errorf(schema.CodeUsage, "there is no setting %q", name).WithHint("`git novel config list` shows all settings")
}

func (s *Session) setSwitch(ctx context.Context, name, value string) (*Setting, error) {
	if _, err := s.getSwitch(name); err != nil {
		return nil, err
	}
	var in SwitchesInput
	if name == keyChatThreshold {
		quoted, err := json.Marshal(value)
		if err != nil {
			return nil, schema.Wrap(err, schema.CodeUsage, "%s cannot be %q", name, value)
		}
		in.ChatThreshold = (*json.RawMessage)(&quoted)
		if value == "" {
			*in.ChatThreshold = json.RawMessage("null")
		}
	} else {
		on, err := strconv.ParseBool(value)
		if err != nil {
			return nil, schema.Errorf(schema.CodeUsage, "%s cannot be %q", name, value).WithHint("the values are true and false")
		}
		if in.ChatWriting = &on; name != keyChatWriting {
			in = SwitchesInput{Tools: map[string]bool{strings.TrimPrefix(name, toolKeyPrefix): on}}
		}
	}
	done, err := s.SetSwitches(ctx, in)
	if err != nil {
		return nil, err
	}
	if len(done.Ignored) > 0 {
		return nil, schema.Errorf(schema.CodeUsage, "%s cannot be %q", name, value).
			WithHint("the values are numbers from %d to %d, and 0 for the default", schema.MinChatThreshold, schema.MaxChatThreshold)
	}
	s.state = nil
	r, err := s.getSwitch(name)
	if err != nil {
		return nil, err
	}
	r.Commit = done.Commit
	return r, nil
}
