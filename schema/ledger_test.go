package schema

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

const seedLedger = `{
  "segments": 2,
  "pendingChars": 0,
  "totalChars": 425,
  "prompts": 1,
  "pending": [],
  "updatedAt": "2026-11-10T13:39:39.069Z"
}`

// Row D133, D134: the seed's ledger, byte for byte.
func TestSeedLedger(t *testing.T) {
	t.Parallel()
	l, ok := ParseLedger([]byte(seedLedger))
	if !ok {
		t.Fatal("damaged")
	}
	if d := cmp.Diff(Ledger{Segments: 2, TotalChars: 425, Prompts: 1, Pending: []string{}, UpdatedAt: "2026-11-10T13:39:39.069Z"}, l); d != "" {
		t.Error(d)
	}
	out, err := l.Render()
	if err != nil || string(out) != seedLedger {
		t.Errorf("%v\n%s", err, cmp.Diff(seedLedger, string(out)))
	}
	if got := FormatTime(time.Date(2026, 11, 10, 21, 39, 39, 0, time.FixedZone("", 8*3600))); got != "2026-11-10T13:39:39.000Z" {
		t.Errorf("D134: %s", got)
	}
}

func TestParseLedgerDamage(t *testing.T) {
	t.Parallel()
	const good = `"segments":1,"pendingChars":2,"totalChars":3,"prompts":4`
	tests := []struct {
		row, in string
		ok      bool
	}{
		{"D137 empty", "", false},
		{"D137 truncated", seedLedger[:40], false},
		{"D137 not JSON", "x", false},
		{"D138 list", "[]", false},
		{"D138 null", "null", false},
		{"D138 string", `"x"`, false},
		{"D138 negative", `{"segments":-1,"pendingChars":2,"totalChars":3,"prompts":4,"pending":[]}`, false},
		{"D138 string counter", `{"segments":"1","pendingChars":2,"totalChars":3,"prompts":4,"pending":[]}`, false},
		{"D138 fraction", `{"segments":1.5,"pendingChars":2,"totalChars":3,"prompts":4,"pending":[]}`, false},
		{"D138 null counter", `{"segments":null,"pendingChars":2,"totalChars":3,"prompts":4,"pending":[]}`, false},
		{"D138 beyond int", `{"segments":1e99,"pendingChars":2,"totalChars":3,"prompts":4,"pending":[]}`, false},
		{"D138 missing counter", `{"segments":1,"pending":[]}`, false},
		{"D138 pending missing", "{" + good + "}", false},
		{"D138 pending null", "{" + good + `,"pending":null}`, false},
		{"D138 pending of numbers", "{" + good + `,"pending":[1]}`, false},
		{"D138 pending a string", "{" + good + `,"pending":"x"}`, false},
		{"updatedAt missing", "{" + good + `,"pending":["x"]}`, true},
		{"unknown key", "{" + good + `,"pending":["x"],"y":{}}`, true},
		{"BOM and CRLF", "\ufeff{\r\n" + good + `,"pending":[]}` + "\r\n", true},
	}
	for _, tt := range tests {
		t.Run(tt.row, func(t *testing.T) {
			t.Parallel()
			if _, ok := ParseLedger([]byte(tt.in)); ok != tt.ok {
				t.Errorf("ok is %v", ok)
			}
		})
	}
}

func TestLedgerRebuild(t *testing.T) {
	t.Parallel()
	l, b := RebuildLedger(3).Append("甲乙", 400, mirrorAt)
	if b.Index != 4 || l.PendingChars != 2 || l.TotalChars != 2 || l.Prompts != 0 {
		t.Errorf("D136: %+v, %+v", l, b)
	}
	if got := RebuildLedger(0); got.Segments != 0 || got.Pending == nil {
		t.Errorf("D144: %+v", got)
	}
	if got := (Ledger{Segments: 5}).CatchUp(7); got.Segments != 7 {
		t.Errorf("D147: %+v", got)
	}
	if got := (Ledger{Segments: 5}).CatchUp(0); got.Segments != 5 {
		t.Errorf("D145: %+v", got)
	}
}

func TestLedgerProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		threshold := rapid.IntRange(MinChatThreshold, 200).Draw(t, "threshold")
		l := RebuildLedger(0)
		total := 0
		for i, text := range rapid.SliceOfN(rapid.StringN(1, 80, -1), 1, 12).Draw(t, "texts") {
			before := l
			next, b := l.Append(text, threshold, mirrorAt)
			if d := cmp.Diff(before, l); d != "" {
				t.Fatalf("Append changed its receiver: %s", d)
			}
			total += UTF16Len(text)
			if b.Index != i+1 || next.TotalChars != total || b.Ask != (before.PendingChars+UTF16Len(text) >= threshold) {
				t.Fatalf("%+v, %+v", next, b)
			}
			if b.Ask != (next.Prompts == before.Prompts+1) || b.Ask != (len(next.Pending) == 0) || next.PendingChars >= threshold {
				t.Fatalf("%+v, %+v", next, b)
			}
			raw, err := next.Render()
			if err != nil {
				t.Fatal(err)
			}
			back, ok := ParseLedger(raw)
			if !ok || cmp.Diff(next, back) != "" {
				t.Fatalf("%s reads as %+v", raw, back)
			}
			l = next
		}
	})
}

func FuzzLedger(f *testing.F) {
	f.Add([]byte(seedLedger))
	f.Add([]byte(`{"segments":1,"pendingChars":2,"totalChars":3,"prompts":4,"pending":["\ud83d"]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		l, ok := ParseLedger(data)
		if !ok {
			return
		}
		raw, err := l.Render()
		if err != nil {
			t.Fatal(err)
		}
		if back, ok := ParseLedger(raw); !ok || cmp.Diff(l, back) != "" {
			t.Fatalf("%+v reads as %+v", l, back)
		}
	})
}
