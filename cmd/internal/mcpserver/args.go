package mcpserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"git-novel/schema"
)

// args are the arguments of a call as the client sent them. They are read by the seeds' rules (reference 1.3), not by the
// schema: a number given for a string is missing, and the tools' own messages come before any validator's.
type args map[string]json.RawMessage

// parseArgs reads the arguments object; none is an empty one.
func parseArgs(raw json.RawMessage) (args, error) {
	a := args{}
	if raw = bytes.TrimSpace(raw); len(raw) == 0 || string(raw) == "null" {
		return a, nil
	}
	if err := json.Unmarshal(raw, &a); err != nil {
		return nil, schema.Errorf(schema.CodeInvalid, "the arguments are not a JSON object")
	}
	return a, nil
}

// known refuses arguments that the schema does not have (additionalProperties: false), all of them at once.
func (a args) known(properties []property) error {
	var faults []schema.Fault
	for _, name := range slices.Sorted(maps.Keys(a)) {
		if !slices.ContainsFunc(properties, func(p property) bool { return p.name == name }) {
			faults = append(faults, schema.Fault{Field: name, Rule: "argument-unknown", Msg: schema.Textf("the tool has no such argument")})
		}
	}
	if len(faults) == 0 {
		return nil
	}
	var names []string
	for _, p := range properties {
		names = append(names, p.name)
	}
	return schema.Errorf(schema.CodeInvalid, "the call has arguments that the tool does not know").WithDetails(faults...).
		WithHint("the arguments are: %s", strings.Join(names, ", "))
}

// optional is a string argument, trimmed; "" when it is absent, blank or no string.
func (a args) optional(name string) string {
	var s string
	if raw, ok := a[name]; !ok || json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return schema.TrimJS(s)
}

// exact is a string argument as it was given, for what must be one of certain words.
func (a args) exact(name string) string {
	var s string
	_ = json.Unmarshal(a[name], &s)
	return s
}

// required is a string argument that must be there.
func (a args) required(name string) (string, error) {
	s := a.optional(name)
	if s == "" {
		return "", schema.Errorf(schema.CodeInvalid, `参数 "%s" 不能为空字符串`, name)
	}
	return s, nil
}

// given reports an argument that says something: neither absent nor null nor a blank string.
func (a args) given(name string) bool {
	raw := string(bytes.TrimSpace(a[name]))
	var s string
	return raw != "" && raw != "null" && (json.Unmarshal([]byte(raw), &s) != nil || schema.TrimJS(s) != "")
}

// chapter is the chapter argument: a string, or a whole number (reference K34).
func (a args) chapter() string { return a.chapterIn("chapter") }

// chapterIn is an argument of another name that is read as a chapter.
func (a args) chapterIn(name string) string {
	if s := a.optional(name); s != "" {
		return s
	}
	raw := string(bytes.TrimSpace(a[name]))
	if raw == "" || strings.Trim(raw, "-+.eE0123456789") != "" {
		return ""
	}
	f, err := strconv.ParseFloat(raw, 64)
	if err != nil || f != float64(int64(f)) {
		return ""
	}
	return strconv.FormatInt(int64(f), 10)
}

// needChapter is a chapter argument that must be there.
func (a args) needChapter() (string, error) {
	if c := a.chapter(); c != "" {
		return c, nil
	}
	return a.required("chapter")
}

// integer is a whole number from least to most; def when it is absent.
func (a args) integer(name string, def, least, most int) (int, error) {
	raw, ok := a[name]
	if !ok || string(raw) == "null" {
		return def, nil
	}
	var f float64
	if err := json.Unmarshal(raw, &f); err != nil || f != float64(int(f)) || int(f) < least || int(f) > most {
		return 0, schema.Errorf(schema.CodeInvalid, `参数 "%s" 必须是 %d 到 %d 之间的整数`, name, least, most)
	}
	return int(f), nil
}

// boolean is true or false; nil when it is absent.
func (a args) boolean(name string) (*bool, error) {
	raw, ok := a[name]
	if !ok || string(raw) == "null" {
		return nil, nil //nolint:nilnil // absent is an answer
	}
	var b bool
	if err := json.Unmarshal(raw, &b); err != nil {
		return nil, schema.Errorf(schema.CodeInvalid, `参数 "%s" 必须是 true 或 false`, name)
	}
	return &b, nil
}

func (a args) flag(name string) (bool, error) {
	b, err := a.boolean(name)
	return b != nil && *b, err
}

// word is a string argument that must be one of the words; the first one when it is absent.
func (a args) word(name string, words ...string) (string, error) {
	s := a.optional(name)
	if s == "" {
		return words[0], nil
	}
	if !slices.Contains(words, s) {
		return "", schema.Errorf(schema.CodeInvalid, `参数 "%s" 只能是：%s`, name, strings.Join(words, " / "))
	}
	return s, nil
}

// list is a list of strings; nil when it is absent or no list. Elements that are no strings become strings (reference Y67).
func (a args) list(name string) *[]string {
	raw, ok := a[name]
	if !ok || len(raw) == 0 || raw[0] != '[' {
		return nil
	}
	var l []any // numbers are JavaScript's: 1.50 is 1.5
	if json.Unmarshal(raw, &l) != nil {
		return nil
	}
	return schema.StringList(l)
}

// switches is an object of names with true or false.
func (a args) switches(name string) (map[string]bool, error) {
	raw, ok := a[name]
	if !ok || string(raw) == "null" {
		return nil, nil
	}
	var values map[string]json.RawMessage
	if err := json.Unmarshal(raw, &values); err != nil {
		return nil, schema.Errorf(schema.CodeInvalid, `参数 "%s" 必须是对象，例如 {"novel_draft": false}`, name)
	}
	out := map[string]bool{}
	var faults []schema.Fault
	for _, k := range slices.Sorted(maps.Keys(values)) {
		var on bool
		if err := json.Unmarshal(values[k], &on); err != nil || string(values[k]) == "null" {
			faults = append(faults, schema.Fault{Field: name + "." + k, Rule: "argument-type", Msg: schema.Textf("must be true or false")})
		}
		out[k] = on
	}
	if len(faults) > 0 {
		return nil, schema.Errorf(schema.CodeInvalid, `参数 "%s" 的值只能是 true 或 false`, name).WithDetails(faults...)
	}
	return out, nil
}

// document is a JSON document that was handed in: an object, or its text in a string. nil when it is absent.
func (a args) document(name string) ([]byte, error) {
	raw := bytes.TrimSpace(a[name])
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	switch raw[0] {
	case '{', '[':
		return raw, nil
	case '"':
		var s string
		if err := json.Unmarshal(raw, &s); err != nil {
			return nil, schema.Wrap(err, schema.CodeInvalid, "the arguments are not a JSON object")
		}
		return []byte(s), nil
	}
	return nil, schema.Errorf(schema.CodeInvalid, `参数 "%s" 必须是 JSON 对象`, name)
}

// property is one argument in a tool's schema.
type property struct {
	name   string
	schema map[string]any
}

// object is the JSON Schema of an arguments object: nothing but what it lists.
func object(properties []property, required ...string) map[string]any {
	m := map[string]any{}
	for _, p := range properties {
		m[p.name] = p.schema
	}
	s := map[string]any{"type": "object", "properties": m, "additionalProperties": false}
	if len(required) > 0 {
		s["required"] = required
	}
	return s
}

func str(name, about string) property {
	return property{name, map[string]any{"type": "string", "description": about}}
}

func oneOf(name, about string, words ...string) property {
	return property{name, map[string]any{"type": "string", "enum": words, "description": about}}
}

func boolean(name, about string) property {
	return property{name, map[string]any{"type": "boolean", "description": about}}
}

func whole(name, about string, least, most int) property {
	return property{name, map[string]any{
		"type": "integer", "minimum": least, "maximum": most, "description": fmt.Sprintf("%s（%d 到 %d）", about, least, most),
	}}
}

func stringList(name, about string) property {
	return property{name, map[string]any{"type": "array", "items": map[string]any{"type": "string"}, "description": about}}
}

// document is an argument that holds a whole JSON document.
func document(name, about string) property {
	return property{name, map[string]any{"type": []string{"object", "string"}, "description": about + "（JSON 对象，或其文本）"}}
}

// Arguments that many tools have.
func bookArg() property { return str("book", "书名；书库只有一本书时可省略") }

func rootArg() property {
	return str("root", "章节库根目录；必须在服务器启动参数 --root 之内")
}

func chapterArg() property {
	return property{"chapter", map[string]any{"type": []string{"string", "integer"}, "description": "章标识：章号、第NN章、文件名或标题"}}
}
