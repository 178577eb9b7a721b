package workflow_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"git-novel/schema"
	"git-novel/workflow"
)

// life is a library in which commands and hand edits follow each other in any order.
type life struct {
	t   *testing.T
	o   workflow.Options
	rnd *rand.Rand
	log []string
}

// TestAnyOrder lets an author and programs do anything in any order. Whatever is accepted must stand before the checker,
// whatever is refused must be refused with a reason of ours and change nothing, and there is always a next command.
func TestAnyOrder(t *testing.T) {
	t.Parallel()
	runs, steps := 8, 40
	if testing.Short() {
		runs = 2
	}
	for seed := range uint64(runs) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			l := &life{t: t, o: library(t), rnd: rand.New(rand.NewPCG(seed, 7))} //nolint:gosec // a test's own order
			l.o.Actor = workflow.Actor{Terminal: true}
			for range steps {
				l.step()
				if t.Failed() {
					t.Fatalf("seed %d:\n%s", seed, strings.Join(l.log, "\n"))
				}
			}
		})
	}
}

func (l *life) step() {
	s := open(l.t, l.o)
	ctx := l.t.Context()
	before := l.head(s)
	name, err := l.command(ctx, s)
	after := l.head(s)
	l.log = append(l.log, fmt.Sprintf("%s: %v", name, err))
	if err != nil {
		if schema.CodeOf(err) == schema.CodeUnexpected {
			l.t.Errorf("%s ends in an error that is none of ours: %v", name, err)
		}
		if before != after && name != "write" {
			l.t.Errorf("%s was refused and made a commit: %v", name, err)
		}
	}
	v, err := s.Verify(ctx)
	if err != nil {
		l.t.Errorf("verify after %s: %v", name, err)
		return
	}
	for _, f := range v.Faults {
		l.t.Errorf("after %s: %s %s: %s", name, f.Path, f.Rule, f.Msg)
	}
	board, err := s.Status(ctx)
	if err != nil || len(board.Books) != 1 || len(board.Books[0].Next) == 0 {
		l.t.Errorf("the board after %s: %+v, %v", name, board, err)
	}
}

func (l *life) head(s *workflow.Session) string {
	rows, err := s.Log(l.t.Context(), "")
	if err != nil || len(rows) == 0 {
		l.t.Fatal(err)
	}
	return rows[0].Commit
}

// command does one thing to one of a few chapters.
func (l *life) command(ctx context.Context, s *workflow.Session) (string, error) {
	n := []string{"1", "2", "3", "番外"}[l.rnd.IntN(4)]
	if rows, err := s.ChapterList(ctx); err == nil && len(rows) > 0 && l.rnd.IntN(4) > 0 {
		n = rows[l.rnd.IntN(len(rows))].Key // most of it happens to chapters that are there
	}
	switch k := l.rnd.IntN(22); k {
	case 0, 1, 2:
		_, err := s.ChapterNew(ctx, workflow.ChapterNewInput{Chapter: n, Title: l.title(), Text: l.text(n)})
		return "new " + n, err
	case 3, 4:
		_, err := s.ChapterSave(ctx, workflow.SaveInput{Chapter: n})
		return "save " + n, err
	case 5:
		_, err := s.ChapterSave(ctx, workflow.SaveInput{Chapter: n, Text: l.text(n)})
		return "save --file " + n, err
	case 6:
		_, err := s.ChapterSave(ctx, workflow.SaveInput{Chapter: n, Typo: true})
		return "typo " + n, err
	case 7, 8:
		_, err := s.ReviewRecord(ctx, workflow.ReviewRecordInput{Chapter: n, AtRecord: true, File: l.review("setting", "timeline", "continuity", "character", "logic")})
		return "record five " + n, err
	case 9, 10:
		_, err := s.ReviewRecord(ctx, workflow.ReviewRecordInput{Chapter: n, AtRecord: true, File: l.review("setting", "timeline", "continuity", "character", "logic", "ai_flavor")})
		return "record all " + n, err
	case 11:
		task, err := s.ReviewTask(ctx, workflow.ReviewTaskInput{Chapter: n, Kind: schema.TaskRecheck})
		if err != nil {
			return "task " + n, err
		}
		_, err = s.ReviewRecheck(ctx, workflow.RecheckInput{Chapter: n, Task: task.ID, File: l.review("ai_flavor")})
		return "recheck " + n, err
	case 12:
		_, err := s.ReviewOverride(ctx, n, fmt.Sprintf("r%d-1", 1+l.rnd.IntN(3)), "作者决定")
		return "override " + n, err
	case 13, 14:
		_, err := s.ChapterCommit(ctx, workflow.CommitInput{Chapter: n})
		return "commit " + n, err
	case 15:
		_, err := s.Retcon(ctx, workflow.RetconInput{Chapter: n, Reason: "改", Pass: "读过"})
		return "retcon " + n, err
	case 16:
		_, err := s.ChapterRename(ctx, n, l.title())
		return "rename " + n, err
	case 17:
		if l.rnd.IntN(2) == 0 {
			_, err := s.ChapterDiscard(ctx, n)
			return "discard " + n, err
		}
		_, err := s.ChapterRetract(ctx, n, "不要了")
		return "retract " + n, err
	case 18:
		to := schema.States()[1+l.rnd.IntN(3)]
		_, err := s.StateSet(ctx, n, string(to))
		return "set " + n + " " + string(to), err
	case 19:
		_, err := s.Recover(ctx, "")
		return "recover", err
	default:
		return l.hand(n), nil
	}
}

// hand is what a person does with the chapter's file, without a command.
func (l *life) hand(n string) string {
	files, err := filepath.Glob(filepath.Join(l.o.Dir, "novels", "雨夜灯", "*"))
	if err != nil || len(files) == 0 {
		return "by hand: nothing there"
	}
	file := files[l.rnd.IntN(len(files))]
	switch l.rnd.IntN(6) {
	case 0:
		l.check(os.Remove(file))
		return "rm " + filepath.Base(file)
	case 1:
		to := filepath.Join(filepath.Dir(file), strings.TrimSuffix(filepath.Base(file), ".md")+"新.md")
		l.check(os.Rename(file, to))
		return "mv to " + filepath.Base(to)
	case 2:
		l.check(os.WriteFile(file, l.text(n), 0o644)) //nolint:gosec // a chapter
		return "rewrite " + filepath.Base(file)
	default:
		data, err := os.ReadFile(file) //nolint:gosec // a chapter
		l.check(err)
		l.check(os.WriteFile(file, append(data, "又一句。"...), 0o644)) //nolint:gosec // a chapter
		return "edit " + filepath.Base(file)
	}
}

func (l *life) check(err error) {
	if err != nil {
		l.t.Fatal(err)
	}
}

func (l *life) title() string { return []string{"", "当铺", "渡口", "旧宅"}[l.rnd.IntN(4)] }

// text makes a chapter, at times with a heading, at times with Windows line ends.
func (l *life) text(n string) []byte {
	var b strings.Builder
	if key, err := schema.ParseChapterKey(n); err == nil && l.rnd.IntN(2) == 0 {
		fmt.Fprintf(&b, "%s %s\n\n", string(key), l.title())
	}
	for range 2 + l.rnd.IntN(6) {
		fmt.Fprintf(&b, "沈砚第%d次走过雨巷，听见第%d家的更声。\n", l.rnd.IntN(100_000), l.rnd.IntN(100_000))
	}
	if l.rnd.IntN(4) == 0 {
		return []byte(strings.ReplaceAll(b.String(), "\n", "\r\n"))
	}
	return []byte(b.String())
}

// review is a result over the dimensions that blocks now and then.
func (l *life) review(dims ...string) workflow.File {
	issues := "[]"
	if l.rnd.IntN(4) == 0 {
		category := dims[l.rnd.IntN(len(dims))]
		issues = fmt.Sprintf(`[{"severity":"high","category":%q,"location":"第1段","description":"不好","evidence":"沈砚","blocking":true,"fact":false}]`, category)
	}
	data := fmt.Sprintf(`{"issues":%s,"dimensions":["%s"],"summary":"读过"}`, issues, strings.Join(dims, `","`))
	return workflow.File{Name: "review.json", Data: []byte(data)}
}
