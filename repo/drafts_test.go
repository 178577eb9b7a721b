package repo_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"git-novel/repo"
	"git-novel/schema"
)

// ticking is a clock that goes on by a second at each look.
func ticking(o *repo.Options) {
	var mu sync.Mutex
	now := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	o.Clock = func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		now = now.Add(time.Second)
		return now
	}
}

func draft(t testing.TB, l *repo.Library, chapter, text string, opts ...func(*repo.AppendInput)) *repo.Appended {
	t.Helper()
	in := repo.AppendInput{Book: testBook, Chapter: chapter, Text: text, Threshold: 100, Enter: schema.DraftPrompt}
	for _, f := range opts {
		f(&in)
	}
	a, err := l.AppendDraft(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func texts(t testing.TB, l *repo.Library, chapter string) string {
	t.Helper()
	d, err := l.Draft(testBook, chapter)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, s := range d.Segments {
		out = append(out, fmt.Sprintf("%d %s", s.Index, s.Text))
	}
	return strings.Join(out, "|")
}

func ledger(t testing.TB, l *repo.Library, key string) schema.Ledger {
	t.Helper()
	led, ok := schema.ParseLedger([]byte(disk(t, l, schema.LedgerPath(testBook, key))))
	if !ok {
		t.Fatal("the ledger is damaged")
	}
	return led
}

const (
	mirror03 = ".novel-writer/drafts/雨夜灯/第03章__draft.md"
	ledger03 = ".novel-writer/drafts/雨夜灯/第03章__state.json"
)

func TestAppendDraft(t *testing.T) {
	t.Parallel()
	l, o := library(t, ticking)
	a := draft(t, l, "3", "  第一小段。\n")
	if a.Key != "第03章" || a.Mirror != mirror03 || a.Ledger != ledger03 || a.Batch.Index != 1 || a.Batch.Chars != 5 || a.Batch.Ask || !a.Commit.IsZero() {
		t.Errorf("%+v", a)
	}
	if got := disk(t, l, mirror03); !regexp.MustCompile(`^## 第1段 · 2026-03-04 05:06:\d\d\n\n第一小段。\n\n$`).MatchString(got) {
		t.Errorf("mirror %q", got)
	}
	a = draft(t, l, "第03章 证词里的空白", strings.Repeat("雨", 95))
	if !a.Batch.Ask || a.Batch.Index != 2 || a.Batch.Pending != 100 || a.After.Prompts != 1 || len(a.Batch.Segments) != 2 {
		t.Errorf("%+v", a)
	}
	if a.Commit.IsZero() || !a.Deferred.IsZero() {
		t.Errorf("the draft did not enter git: %s", a.Deferred)
	}
	if got, want := o.git("show", "--name-only", "--format=%s%n%(trailers:only)", "HEAD"), "draft(雨夜灯 第03章): 第2段\nNovel-Book: 雨夜灯\nNovel-Chapter: 0003\n\n\n"+mirror03+"\n"+ledger03+"\n"; strings.ReplaceAll(got, "\n\n", "\n") != strings.ReplaceAll(want, "\n\n", "\n") {
		t.Errorf("commit %q, want %q", got, want)
	}
	if led := ledger(t, l, "第03章"); led.Segments != 2 || led.TotalChars != 100 || led.PendingChars != 0 || led.Prompts != 1 {
		t.Errorf("%+v", led)
	}
	if _, err := os.Stat(filepath.Join(l.Root(), "novels", string(testBook))); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the book's folder was made: %v", err)
	}
	o.sound("?? .gitattributes\n?? .gitignore\n")
}

func TestAppendDraftPolicies(t *testing.T) {
	t.Parallel()
	l, o := library(t, ticking)
	count := func() string { return strings.TrimSpace(o.git("rev-list", "--count", "--all")) }
	policy := func(p schema.DraftCommit) func(*repo.AppendInput) {
		return func(in *repo.AppendInput) { in.Enter = p }
	}
	draft(t, l, "1", strings.Repeat("雨", 200), policy(schema.DraftTransition))
	if count() != "0" {
		t.Error("transition: a commit")
	}
	draft(t, l, "1", "短", policy(schema.DraftSegment))
	if count() != "1" {
		t.Error("segment: no commit")
	}
	draft(t, l, "1", "短", policy(schema.DraftPrompt))
	if count() != "1" {
		t.Error("prompt: a commit before the author is asked")
	}
	list, err := l.Drafts(testBook)
	if err != nil || len(list) != 1 || !list[0].Due || list[0].Key != "第01章" || list[0].Bytes == 0 {
		t.Errorf("%+v %v", list, err)
	}
	update(t, l, func(tx *repo.Tx) error {
		tx.MessageText("save(雨夜灯 第01章): 起草\n")
		return repo.TakeDraft(tx, testBook, "第01章")
	})
	if d, err := l.Draft(testBook, "1"); err != nil || d.Due || len(d.Segments) != 3 {
		t.Errorf("%+v %v", d, err)
	}
}

func TestAppendDraftRefuses(t *testing.T) {
	t.Parallel()
	l, _ := library(t)
	for name, text := range map[string]string{"empty": "", "blank": " \n\t　\ufeff"} {
		_, err := l.AppendDraft(context.Background(), repo.AppendInput{Book: testBook, Chapter: "3", Text: text, Threshold: 100})
		if schema.CodeOf(err) != schema.CodeInvalid || err.Error() != `参数 "text" 不能为空字符串` {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := os.Stat(filepath.Join(l.Root(), ".novel-writer", "drafts")); !errors.Is(err, os.ErrNotExist) {
		t.Error("something was written")
	}
}

// Two spellings of one chapter have one mirror, and an older mirror is claimed (reference D73–D81).
func TestAppendDraftClaims(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		files []string
		in    string
		want  string
	}{
		{"older spelling", []string{"3__draft.md"}, "第03章", "3"},
		{"canonical wins", []string{"3__draft.md", "第03章__draft.md"}, "3", "第03章"},
		{"with title", []string{"第03章 证词里的空白__draft.md"}, "3", "第03章 证词里的空白"},
		{"a ledger claims nothing", []string{"3__state.json"}, "3", "第03章"},
		{"another chapter", []string{"第13章__draft.md"}, "3", "第03章"},
		{"an extra", []string{"第02章__draft.md"}, "番外2", "番外2"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l, _ := library(t)
			for _, f := range tt.files {
				edit(t, l, schema.DraftDir(testBook)+"/"+f, "")
			}
			a := draft(t, l, tt.in, "雨")
			if a.Mirror != schema.MirrorPath(testBook, tt.want) || a.Ledger != schema.LedgerPath(testBook, tt.want) || a.Key != schema.DraftKey(tt.in) {
				t.Errorf("%+v", a)
			}
		})
	}
}

func TestAppendDraftRebuilds(t *testing.T) {
	t.Parallel()
	three := "## 第1段 · 2026-01-01 00:00:00\r\n\r\n甲\r\n\r\n## 第 2 段\n\n乙\n\n批注\n## 第3段 · x\n\n丙"
	tests := []struct {
		name   string
		mirror string
		ledger string
		index  int
		total  int
	}{
		{"no ledger", three, "", 4, 1},
		{"no JSON", three, "{\"segments\":", 4, 1},
		{"wrong shape", three, "[]", 4, 1},
		{"negative", three, `{"segments":-1,"pendingChars":0,"totalChars":0,"prompts":0,"pending":[]}`, 4, 1},
		{"behind the mirror", three, `{"segments":2,"pendingChars":1,"totalChars":2,"prompts":0,"pending":["乙"],"updatedAt":""}`, 4, 3},
		{"mirror deleted", "", `{"segments":5,"pendingChars":0,"totalChars":9,"prompts":1,"pending":[],"updatedAt":""}`, 6, 10},
		{"nothing", "", "", 1, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l, _ := library(t)
			if tt.mirror != "" {
				edit(t, l, mirror03, tt.mirror)
			}
			if tt.ledger != "" {
				edit(t, l, ledger03, tt.ledger)
			}
			a := draft(t, l, "3", "丁")
			if a.Batch.Index != tt.index || a.After.TotalChars != tt.total {
				t.Errorf("segment %d, total %d; want %d, %d", a.Batch.Index, a.After.TotalChars, tt.index, tt.total)
			}
			got := disk(t, l, mirror03)
			if !strings.HasPrefix(got, tt.mirror) {
				t.Errorf("bytes that were there changed: %q", got)
			}
			if !strings.Contains(got, fmt.Sprintf("\n## 第%d段 · ", tt.index)) && tt.mirror != "" {
				t.Errorf("the new header has no line of its own: %q", got)
			}
		})
	}
}

func TestInsideBookDir(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for target, want := range map[string]bool{
		"novels/雨夜灯": true, "novels/雨夜灯/第01章.md": true, "novels/雨夜灯甲/x": false, "novels": false, ".novel-writer/drafts/雨夜灯/x": false,
		"novels/雨夜灯/../x": false,
	} {
		if got := repo.InsideBookDir(root, testBook, filepath.Join(root, filepath.FromSlash(target))); got != want {
			t.Errorf("%s: %v", target, got)
		}
	}
	if repo.InsideBookDir("", testBook, "x") || repo.InsideBookDir(root, testBook, "") {
		t.Error("a path that cannot be resolved counts as inside")
	}
}

func TestAppendDraftLinks(t *testing.T) {
	t.Parallel()
	link := func(t *testing.T, l *repo.Library, target, name string) {
		t.Helper()
		file := filepath.Join(l.Root(), filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(filepath.Join(l.Root(), filepath.FromSlash(target)), file); err != nil {
			t.Skip("no symbolic links here: " + err.Error())
		}
	}
	tests := []struct {
		name  string
		seed  bool // the error is the seed's
		setup func(t *testing.T, l *repo.Library)
	}{
		{"folder into the book", true, func(t *testing.T, l *repo.Library) { link(t, l, "novels/雨夜灯", ".novel-writer/drafts/雨夜灯") }},
		{"book into the drafts", true, func(t *testing.T, l *repo.Library) {
			edit(t, l, ".novel-writer/drafts/雨夜灯/x", "")
			if err := os.RemoveAll(filepath.Join(l.Root(), "novels/雨夜灯")); err != nil {
				t.Fatal(err)
			}
			link(t, l, ".novel-writer/drafts", "novels/雨夜灯")
		}},
		{"folder elsewhere", false, func(t *testing.T, l *repo.Library) { link(t, l, "别处", ".novel-writer/drafts/雨夜灯") }},
		{"mirror", false, func(t *testing.T, l *repo.Library) { link(t, l, "novels/雨夜灯/第01章.md", mirror03) }},
		{"ledger", false, func(t *testing.T, l *repo.Library) { link(t, l, "novels/雨夜灯/第01章.md", ledger03) }},
		{"mirror is a folder", false, func(t *testing.T, l *repo.Library) { edit(t, l, mirror03+"/x", "") }},
		{"ledger is a folder", false, func(t *testing.T, l *repo.Library) { edit(t, l, ledger03+"/x", "") }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l, _ := library(t)
			edit(t, l, "novels/雨夜灯/第01章.md", "正文\n")
			edit(t, l, "别处/x", "")
			tt.setup(t, l)
			_, err := l.AppendDraft(context.Background(), repo.AppendInput{Book: testBook, Chapter: "3", Text: "雨", Threshold: 100})
			if schema.CodeOf(err) != schema.CodeInvalid {
				t.Fatalf("got %v", err)
			}
			if seed := strings.HasPrefix(err.Error(), "草稿镜像不能放在正文目录 novels/雨夜灯/ 内"); seed != tt.seed {
				t.Errorf("got %v", err)
			}
			if got, err := os.ReadFile(filepath.Join(l.Root(), "novels/雨夜灯/第01章.md")); err == nil && string(got) != "正文\n" {
				t.Errorf("the manuscript is %q", got)
			}
		})
	}
}

// A failing step leaves nothing of the segment behind.
func TestAppendDraftFails(t *testing.T) {
	t.Parallel()
	for _, step := range []string{"draft mirror", "draft journal", "draft ledger"} {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			fail := false
			l, _ := library(t, func(o *repo.Options) {
				o.Failpoint = func(name string) error {
					if fail && name == step {
						return errors.New("disk full")
					}
					return nil
				}
			})
			try := func(text string) error {
				_, err := l.AppendDraft(context.Background(), repo.AppendInput{Book: testBook, Chapter: "3", Text: text, Threshold: 100})
				return err
			}
			fail = true
			if err := try("没写成"); schema.CodeOf(err) != schema.CodeUnexpected {
				t.Fatalf("first: %v", err)
			}
			if _, err := os.Stat(filepath.Join(l.Root(), filepath.FromSlash(mirror03))); !errors.Is(err, os.ErrNotExist) {
				t.Error("a mirror is left")
			}
			fail = false
			if err := try("写成了"); err != nil {
				t.Fatal(err)
			}
			before := disk(t, l, mirror03) + disk(t, l, ledger03)
			fail = true
			if err := try("没写成"); err == nil {
				t.Fatal("no error")
			}
			fail = false
			if got := disk(t, l, mirror03) + disk(t, l, ledger03); got != before {
				t.Errorf("%q became %q", before, got)
			}
			if err := try("又写成了"); err != nil {
				t.Fatal(err)
			}
			if got := texts(t, l, "3"); got != "1 写成了|2 又写成了" {
				t.Error(got)
			}
		})
	}
}

// Writers of one mirror, each with a handle of its own, never take one number twice.
func TestAppendDraftTogether(t *testing.T) {
	t.Parallel()
	l, _ := library(t)
	var wg sync.WaitGroup
	for n := range 20 {
		wg.Go(func() {
			mine, err := repo.Open(context.Background(), l.Root(), options(filepath.Dir(l.Root())))
			if err != nil {
				t.Error(err)
				return
			}
			defer mine.Close()
			_, err = mine.AppendDraft(context.Background(), repo.AppendInput{
				Book: testBook, Chapter: []string{"3", "第03章", "第三章 题"}[n%3], Text: fmt.Sprintf("段%d", n), Threshold: 100_000,
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	d, err := l.Draft(testBook, "3")
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range d.Segments {
		if s.Index != i+1 {
			t.Errorf("segment %d has number %d", i+1, s.Index)
		}
	}
	if len(d.Segments) != 20 || d.Counts.Segments != 20 || len(d.Counts.Pending) != 20 {
		t.Errorf("%d segments, ledger %+v", len(d.Segments), d.Counts)
	}
}

// Once the segment is on disk the call has succeeded, whatever git says.
func TestAppendDraftDefers(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("雨", 120)
	t.Run("detached HEAD", func(t *testing.T) {
		t.Parallel()
		l, o := library(t)
		put(t, l, map[string]string{"a.txt": "a"})
		o.git("checkout", "-q", "--detach")
		a := draft(t, l, "3", long)
		if a.Deferred.IsZero() || !a.Commit.IsZero() || a.After.Prompts != 1 {
			t.Errorf("%+v", a)
		}
		o.git("checkout", "-q", "main")
		if a = draft(t, l, "3", long); !a.Deferred.IsZero() || a.Commit.IsZero() {
			t.Errorf("%+v", a)
		}
		if got := texts(t, l, "3"); got != "1 "+long+"|2 "+long {
			t.Error(got)
		}
	})
	t.Run("no identity", func(t *testing.T) {
		t.Parallel()
		l, _ := library(t, func(o *repo.Options) {
			o.Env.Getenv = func(k string) string { return map[string]string{"GIT_CONFIG_NOSYSTEM": "1"}[k] }
		})
		if a := draft(t, l, "3", long); a.Deferred.IsZero() || a.Batch.Index != 1 {
			t.Errorf("%+v", a)
		}
	})
}

// TestDraftOfCutKey: a draft under a key that was cut is found again from the list of the drafts.
func TestDraftOfCutKey(t *testing.T) {
	t.Parallel()
	l, _ := library(t, ticking)
	a := draft(t, l, strings.Repeat("夜", 60), "正文")
	list, err := l.Drafts("雨夜灯")
	if err != nil || len(list) != 1 {
		t.Fatalf("%v %v", list, err)
	}
	d, err := l.DraftOf("雨夜灯", list[0])
	if err != nil || d.Mirror != a.Mirror || d.Key != a.Key || len(d.Segments) != 1 || d.Segments[0].Text != "正文" {
		t.Errorf("%+v %v", d, err)
	}
}
