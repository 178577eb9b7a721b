package text_test

import (
	"encoding/json"
	"testing"

	"git-novel/cmd/internal/text"
	"git-novel/schema"
)

func TestLocalize(t *testing.T) {
	t.Parallel()
	type inner struct {
		Why  schema.Text `json:"why"`
		Note string      `json:"note"`
	}
	type outer struct {
		Plain int            `json:"plain"`
		Ptr   *inner         `json:"ptr"`
		List  []inner        `json:"list"`
		Map   map[string]any `json:"map"`
		State schema.Text    `json:"state,omitzero"`
		Bytes []byte         `json:"bytes"`
	}
	said := schema.Textf("the text of chapter %s is blank", "第03章")
	v := &outer{
		Plain: 7, Ptr: &inner{Why: said, Note: "the text of chapter %s is blank"}, List: []inner{{Why: said}, {}},
		Map: map[string]any{"a": said, "b": 3}, Bytes: []byte("x"),
	}
	const zh = "章节 第03章 的正文是空的"
	got, ok := text.Chinese.Localize(v).(*outer)
	if !ok {
		t.Fatal("the type changed")
	}
	if got.Ptr.Why.String() != zh || got.List[0].Why.String() != zh || got.Map["a"].(schema.Text).String() != zh {
		t.Errorf("not all in Chinese: %+v", got)
	}
	if got.Ptr.Note != v.Ptr.Note || got.Plain != 7 || got.Map["b"] != 3 || !got.State.IsZero() || !got.List[1].Why.IsZero() {
		t.Errorf("more than sentences changed: %+v", got)
	}
	if v.Ptr.Why.String() == zh || v.List[0].Why.String() == zh || v.Map["a"].(schema.Text).String() == zh {
		t.Errorf("the original changed: %+v", v)
	}
	if text.English.Localize(v) != any(v) || text.Chinese.Localize(nil) != nil {
		t.Error("English is the original, and nil is nil")
	}
	data, err := json.Marshal(got)
	if err != nil || !json.Valid(data) {
		t.Errorf("%s %v", data, err)
	}
}
