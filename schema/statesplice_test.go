package schema

import (
	"bytes"
	"fmt"
	"maps"
	"testing"

	"pgregory.net/rapid"
)

func TestSpliceStateIsMarshalKeep(t *testing.T) {
	t.Parallel()
	ids := rapid.OneOf(rapid.Map(rapid.IntRange(0, 30), func(n int) string { return fmt.Sprintf("%04d", n) }),
		rapid.SampledFrom([]string{"楔子", "番外·雨夜", "Ａ", "a\"b"}))
	word := rapid.SampledFrom([]State{StateDrafted, StateReviewed, StateCommitted})
	rapid.Check(t, func(t *rapid.T) {
		s := BookState{Book: rapid.SampledFrom([]string{"书", "a\"b"}).Draw(t, "book")}
		s.Progress.CurrentChapter = rapid.IntRange(0, 30).Draw(t, "current")
		s.Progress.ChapterStatus = rapid.MapOf(ids, word).Draw(t, "status")
		if rapid.Bool().Draw(t, "ordered") {
			s.Order = map[string]Place{"楔子": {After: "0000"}}
		}
		old, err := Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		if rapid.Bool().Draw(t, "unknown") {
			old = append(bytes.TrimSuffix(old, []byte("\n}\n")), ",\n  \"mood\": [\n    1\n  ]\n}\n"...)
		}
		changed := rapid.MapOfN(ids, word, 0, 3).Draw(t, "changed")
		got, ok := SpliceState(old, changed, 7)
		s.Progress.CurrentChapter = 7
		maps.Copy(s.Progress.ChapterStatus, changed)
		want, err := MarshalKeep(s, old)
		if err != nil {
			t.Fatal(err)
		}
		if ok && !bytes.Equal(got, want) {
			t.Fatalf("spliced:\n%s\nencoded:\n%s", got, want)
		}
	})
}

func TestSpliceStateTakesOurForm(t *testing.T) {
	t.Parallel()
	s := BookState{Book: "书", Progress: Progress{CurrentChapter: 1, ChapterStatus: map[string]State{"0001": StateCommitted, "0002": StateDrafted}}}
	old, err := Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := SpliceState(old, map[string]State{"0002": StateReviewed, "0003": StateDrafted}, 1); !ok {
		t.Error("a file of our own form is not spliced")
	}
	for name, file := range map[string]string{
		"compact":      `{"book":"书","progress":{"current_chapter":1,"chapter_status":{"0001":"chapter_committed"}}}`,
		"other order":  "{\n  \"progress\": {\n    \"current_chapter\": 1,\n    \"chapter_status\": {\n      \"0001\": \"chapter_committed\"\n    }\n  },\n  \"book\": \"书\"\n}\n",
		"unsorted":     "{\n  \"book\": \"书\",\n  \"progress\": {\n    \"current_chapter\": 1,\n    \"chapter_status\": {\n      \"0002\": \"chapter_drafted\",\n      \"0001\": \"chapter_committed\"\n    }\n  }\n}\n",
		"cut off":      string(old[:len(old)-12]),
		"no chapter":   "{\n  \"book\": \"书\",\n  \"progress\": {\n    \"current_chapter\": 0,\n    \"chapter_status\": {}\n  }\n}\n",
		"key unknown":  "{\n  \"book\": \"书\",\n  \"progress\": {\n    \"current_chapter\": 1,\n    \"chapter_status\": {\n      \"0001\": 1\n    }\n  }\n}\n",
		"empty":        "",
		"more inside":  "{\n  \"book\": \"书\",\n  \"progress\": {\n    \"current_chapter\": 1,\n    \"chapter_status\": {\n      \"0001\": \"chapter_committed\"\n    },\n    \"x\": 1\n  }\n}",
		"byte in key":  "{\n  \"book\": \"书\",\n  \"progress\": {\n    \"current_chapter\": 1,\n    \"chapter_status\": {\n      \"\\u0030001\": \"chapter_committed\"\n    }\n  }\n}\n",
		"short indent": "{\n  \"book\": \"书\",\n  \"progress\": {\n    \"current_chapter\": 1,\n    \"chapter_status\": {\n     \"0001\": \"chapter_committed\"\n    }\n  }\n}\n",
	} {
		got, ok := SpliceState([]byte(file), map[string]State{"0002": StateDrafted}, 1)
		if ok && name != "more inside" {
			t.Errorf("%s: spliced to\n%s", name, got)
		}
	}
}
