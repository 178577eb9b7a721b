package lock_test

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"git-novel/repo/lock"
	"git-novel/schema"
)

// The test binary holds a lock as another process when this is set.
const holdDir = "NOVEL_TEST_HOLD_LOCK"

func TestMain(m *testing.M) {
	if dir := os.Getenv(holdDir); dir != "" {
		_, err := lock.Library(context.Background(), dir, 0, lock.Holder{PID: os.Getpid(), Command: "git novel batch run"})
		if err != nil {
			os.Exit(1)
		}
		_, _ = os.Stdout.WriteString("held\n")
		select {}
	}
	os.Exit(m.Run())
}

func TestLibraryExcludes(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "novel")
	ctx := context.Background()
	a, err := lock.Library(ctx, dir, 0, lock.Holder{PID: 1, Command: "first"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = lock.Library(ctx, dir, 30*time.Millisecond, lock.Holder{PID: 2})
	if schema.CodeOf(err) != schema.CodeConflict || !strings.Contains(err.Error(), "1 (first)") {
		t.Errorf("second lock: %v; want a conflict that names process 1", err)
	}
	a.Release()
	a.Release()
	b, err := lock.Library(ctx, dir, 0, lock.Holder{PID: 2})
	if err != nil {
		t.Fatalf("after release: %v", err)
	}
	b.Release()
	if _, err := os.Stat(filepath.Join(dir, "lock")); err != nil {
		t.Errorf("the lock file is gone: %v", err)
	}
}

func TestLibraryWaits(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a, err := lock.Library(context.Background(), dir, 0, lock.Holder{PID: 1})
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(50*time.Millisecond, a.Release)
	b, err := lock.Library(context.Background(), dir, 10*time.Second, lock.Holder{PID: 2})
	if err != nil {
		t.Fatal(err)
	}
	b.Release()
}

func TestLibraryInterrupted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a, err := lock.Library(context.Background(), dir, 0, lock.Holder{PID: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Release()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := lock.Library(ctx, dir, time.Minute, lock.Holder{}); schema.CodeOf(err) != schema.CodeInterrupted {
		t.Errorf("error %v, want interrupted", err)
	}
}

// A killed holder must not bar anyone, and its file must not be taken for a lock.
func TestDeadHolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), holdDir+"="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, _ := bufio.NewReader(out).ReadString('\n'); line != "held\n" {
		t.Fatalf("the child said %q", line)
	}
	_, err = lock.Library(context.Background(), dir, 0, lock.Holder{})
	if err == nil || !strings.Contains(err.Error(), "git novel batch run") {
		t.Errorf("while the child holds it: %v; want its command named", err)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	l, err := lock.Library(context.Background(), dir, 5*time.Second, lock.Holder{PID: os.Getpid()})
	if err != nil {
		t.Fatalf("after the child died: %v", err)
	}
	l.Release()
}

func TestBook(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ctx := context.Background()
	a, err := lock.Book(ctx, dir, "雨夜灯", lock.Holder{PID: 7, Command: "git novel batch run 1-9"})
	if err != nil {
		t.Fatal(err)
	}
	if h, held, err := lock.BookHolder(dir, "雨夜灯"); err != nil || !held || h.PID != 7 || h.Book != "雨夜灯" {
		t.Errorf("holder %+v, %v, %v", h, held, err)
	}
	_, err = lock.Book(ctx, dir, "雨夜灯", lock.Holder{})
	if schema.CodeOf(err) != schema.CodeConflict || !strings.Contains(err.Error(), "batch run 1-9") {
		t.Errorf("second: %v; want a conflict that names the command", err)
	}
	other, err := lock.Book(ctx, dir, "别的书", lock.Holder{})
	if err != nil {
		t.Errorf("another book is barred: %v", err)
	}
	other.Release()
	a.Release()
	if _, held, err := lock.BookHolder(dir, "雨夜灯"); err != nil || held {
		t.Errorf("after release: held %v, %v", held, err)
	}
}
