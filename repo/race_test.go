package repo_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"git-novel/repo"
	"git-novel/schema"
)

// raceRounds is how many transitions one process of the race makes.
const raceRounds = 3

// race makes transitions of one book and prints each one that was acknowledged.
func race(ctx context.Context, l *repo.Library, who int) error {
	for i := range raceRounds {
		subject := fmt.Sprintf("save(书%d): 第%d次", who, i)
		_, err := l.Update(ctx, func(tx *repo.Tx) error {
			tx.MessageText(subject + "\n")
			for _, p := range []string{"novels/书%d/第01章.md", ".novel-writer/books/书%d/state.json", "novels/书%d/新%d.md"} {
				if strings.Count(p, "%d") == 2 {
					p = fmt.Sprintf(p, who, i)
				} else {
					p = fmt.Sprintf(p, who)
				}
				if err := tx.Write(p, []byte(subject+"\n")); err != nil {
					return err
				}
			}
			return nil
		})
		switch {
		case err == nil:
			fmt.Println(subject)
		case schema.CodeOf(err) != schema.CodeConflict:
			return err
		}
	}
	return nil
}

// Sixteen processes at once, plain git commits among them: every acknowledged one is in the history once, and holds
// nothing of another.
func TestRace(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("too slow there")
	}
	l, o := started(t)
	edit(t, l, "staged.txt", "已暂存\n")
	o.git("add", "staged.txt")
	edit(t, l, "新 文件.txt", "未跟踪\n")
	const writers, gits = 12, 4
	var wg sync.WaitGroup
	var mu sync.Mutex
	acknowledged := map[string]int{}
	for who := range writers {
		wg.Go(func() {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), fmt.Sprintf("%s=race %d %s", childEnv, 1000+who, l.Root()))
			var errs bytes.Buffer
			cmd.Stderr = &errs
			out, err := cmd.Output()
			if err != nil {
				t.Errorf("writer %d: %v %s", who, err, errs.String())
			}
			mu.Lock()
			defer mu.Unlock()
			for line := range strings.Lines(string(out)) {
				acknowledged[strings.TrimSpace(line)]++
			}
		})
	}
	for who := range gits {
		wg.Go(func() {
			for i := range raceRounds {
				name := fmt.Sprintf("own-%d-%d.txt", who, i)
				if err := os.WriteFile(filepath.Join(l.Root(), name), []byte(name), 0o644); err != nil {
					t.Error(err)
					return
				}
				// git may be refused at either step: then it is not acknowledged.
				if _, err := o.try("add", name); err != nil {
					continue
				}
				if _, err := o.try("commit", "-q", "-m", name, "--", name); err == nil {
					mu.Lock()
					acknowledged[name]++
					mu.Unlock()
				}
			}
		})
	}
	wg.Wait()

	if acknowledged["save(书1000): 第0次"] == 0 && len(acknowledged) < 10 {
		t.Errorf("hardly anything got through: %v", acknowledged)
	}
	found := map[string]int{}
	for entry := range strings.SplitSeq(o.git("log", "--format=%x1e%s", "--name-only"), "\x1e") {
		subject, list, _ := strings.Cut(strings.TrimSpace(entry), "\n")
		if subject == "" || strings.HasPrefix(subject, "init(") {
			continue
		}
		found[subject]++
		for p := range strings.Lines(strings.TrimSpace(list)) {
			p = strings.Trim(strings.TrimSpace(p), `"`)
			book, _, _ := strings.Cut(strings.TrimPrefix(subject, "save("), ")")
			if p != subject && !strings.Contains(p, "/"+book+"/") {
				t.Errorf("the commit %q holds %s", subject, p)
			}
		}
	}
	for subject, n := range acknowledged {
		if n != 1 || found[subject] != 1 {
			t.Errorf("%q: acknowledged %d times, in the history %d times", subject, n, found[subject])
		}
	}
	for subject := range found {
		if acknowledged[subject] == 0 {
			t.Errorf("%q is in the history and was not acknowledged", subject)
		}
	}
	t.Logf("%d of %d got through", len(acknowledged), (writers+gits)*raceRounds)
	var status []string
	for line := range strings.Lines(o.git("status", "--porcelain")) {
		if line = strings.TrimSpace(line); !strings.Contains(line, "own-") {
			status = append(status, line)
		}
	}
	if got := strings.Join(status, "|"); got != `A  staged.txt|?? "新 文件.txt"` {
		t.Errorf("status %q", got)
	}
	if out, err := o.try("fsck", "--strict", "--no-dangling"); err != nil || out != "" {
		t.Errorf("fsck %s %v", out, err)
	}
	if left := leftovers(t, l.Root()); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}
