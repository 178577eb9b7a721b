package schema

// DefaultChatThreshold is how many characters (UTF-16 units) may pend before the author is asked (seed novel_draft).
const DefaultChatThreshold = 400

// LibraryState is .novel-writer/state.json: the switches that the panel and novel_sentence_config set.
type LibraryState struct {
	ChatThreshold int             `json:"chatThreshold,omitempty"` // 0: never set
	ChatWriting   *bool           `json:"chatWriting,omitempty"`
	Tools         map[string]bool `json:"tools,omitempty"`
	Features      map[string]bool `json:"features,omitempty"`
}

// Threshold is the gate that counts.
func (s *LibraryState) Threshold() int {
	if s.ChatThreshold == 0 {
		return DefaultChatThreshold
	}
	return s.ChatThreshold
}

// ChatWritingOn says whether the chat-writing mode is on; it is off until someone switches it on. The older tool kept the
// switch among the features.
func (s *LibraryState) ChatWritingOn() bool {
	if s.ChatWriting != nil {
		return *s.ChatWriting
	}
	return s.Features["chatWriting"]
}

// ToolOn says whether a tool may run: only an explicit false switches it off.
func (s *LibraryState) ToolOn(name string) bool {
	on, set := s.Tools[name]
	return on || !set
}

// ParseLibraryState reads the switches. It always gives a state that can be used, with defaults where the file is damaged;
// the faults say where, and a caller that would write the file must then stop (DESIGN 3). Write it back with Render.
func ParseLibraryState(file string, data []byte) (*LibraryState, []Fault) {
	s := &LibraryState{}
	var raw map[string]any
	if err := Unmarshal(file, data, &raw); err != nil {
		return s, faultsOf(file, err)
	}
	c := checker{file: file, rule: "library-state"}
	n, change := ParseChatThreshold(raw["chatThreshold"])
	if change == ThresholdIgnore {
		c.add("chatThreshold", "must be a number from %d to %d", MinChatThreshold, MaxChatThreshold)
	}
	s.ChatThreshold = n
	if v, there := raw["chatWriting"]; there && v != nil {
		on, ok := v.(bool)
		if ok {
			s.ChatWriting = &on
		} else {
			c.add("chatWriting", "must be true or false")
		}
	}
	s.Tools = c.switches("tools", raw["tools"], func(name string) bool {
		_, ok := FindTool(name)
		return ok
	})
	s.Features = c.switches("features", raw["features"], func(name string) bool { return name == "chatWriting" })
	return s, c.faults
}

// Render gives the file's new content. Keys of orig that are not ours stay, among the switches too.
func (s *LibraryState) Render(orig []byte) ([]byte, error) {
	var raw map[string]any
	if len(orig) > 0 {
		if err := Unmarshal("", orig, &raw); err != nil {
			return nil, err
		}
	}
	return MarshalKeep(&struct {
		ChatThreshold int            `json:"chatThreshold,omitempty"`
		ChatWriting   *bool          `json:"chatWriting,omitempty"`
		Tools         map[string]any `json:"tools,omitempty"`
		Features      map[string]any `json:"features,omitempty"`
	}{s.ChatThreshold, s.ChatWriting, mergeSwitches(s.Tools, raw["tools"]), mergeSwitches(s.Features, raw["features"])}, orig)
}

// mergeSwitches puts beside the switches what is there and is none.
func mergeSwitches(on map[string]bool, orig any) map[string]any {
	out := map[string]any{}
	if m, ok := orig.(map[string]any); ok {
		for k, v := range m {
			if _, is := v.(bool); !is {
				out[k] = v
			}
		}
	}
	for k, v := range on {
		out[k] = v
	}
	if len(out) == 0 && on == nil {
		return nil
	}
	return out
}

// switches reads an object of switches. Only one that ours knows by name must be a switch: what an older or another tool
// keeps beside them is its own affair and stays in the file, as unknown keys do everywhere.
func (c *checker) switches(key string, v any, ours func(name string) bool) map[string]bool {
	m, ok := v.(map[string]any)
	if !ok {
		if v != nil {
			c.add(key, "must be an object of switches")
		}
		return nil
	}
	out := make(map[string]bool, len(m))
	for _, k := range sortedKeys(m) {
		if on, ok := m[k].(bool); ok {
			out[k] = on
		} else if ours(k) {
			c.add(key+"."+k, "must be true or false")
		}
	}
	return out
}

// faultsOf gives the faults of an error of this package, at least one.
func faultsOf(file string, err error) []Fault {
	if e, ok := err.(*Error); ok { //nolint:errorlint // this package's functions return it unwrapped
		if len(e.Details) > 0 {
			return e.Details
		}
		return []Fault{{File: file, Msg: e.Msg}}
	}
	return []Fault{{File: file, Msg: Textf("%s", err.Error())}}
}

// NormalizeChatThreshold reads a threshold by the rules of ParseChatThreshold; false when the value sets none.
func NormalizeChatThreshold(v any) (int, bool) {
	n, change := ParseChatThreshold(v)
	return n, change == ThresholdSet
}
