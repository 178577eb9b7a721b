package workflow

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// openTest opens a fresh library for tests of this package that need no git program.
func openTest(t *testing.T) *Session {
	t.Helper()
	dir := t.TempDir()
	home := t.TempDir()
	now := time.Date(2026, 11, 10, 13, 39, 39, 0, time.UTC)
	env := map[string]string{
		"HOME": home, "GIT_AUTHOR_NAME": "作者", "GIT_AUTHOR_EMAIL": "a@example.com",
		"GIT_COMMITTER_NAME": "作者", "GIT_COMMITTER_EMAIL": "a@example.com", "GIT_CONFIG_NOSYSTEM": "1",
	}
	o := Options{
		Root: dir, Dir: dir, Wait: time.Second, Getenv: func(k string) string { return env[k] },
		Now:      func() time.Time { now = now.Add(time.Second); return now },
		LookPath: func(string) (string, error) { return "", os.ErrNotExist },
		Actor:    Actor{Terminal: true},
	}
	if _, err := Init(context.Background(), o, dir); err != nil {
		t.Fatal(err)
	}
	s, err := Open(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestEventLogIsBounded(t *testing.T) {
	t.Parallel()
	s := openTest(t)
	long := strings.Repeat("雨", 3000)
	for range 400 {
		s.logEvent(EventSilentSkip, long)
	}
	s.logEvent(EventSilentSkip, "最后一条")
	var size int64
	for _, name := range []string{eventLog, eventLogOld} {
		info, err := os.Stat(filepath.Join(s.Root(), filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		size += info.Size()
	}
	if size > eventBytes {
		t.Errorf("the log has %d bytes, more than %d", size, eventBytes)
	}
	list := s.events(1000)
	if len(list) < 50 || list[len(list)-1].Text != "最后一条" {
		t.Errorf("%d events, the last one %q", len(list), list[len(list)-1].Text)
	}
	if got := len(list[0].Text); got > eventMaxText+len("…") || got < eventMaxText-4 {
		t.Errorf("a text of %d bytes", got)
	}
	if got := s.events(3); len(got) != 3 {
		t.Errorf("asked for 3 events, got %d", len(got))
	}
}

func TestEventLogSkipsWhatIsNoEvent(t *testing.T) {
	t.Parallel()
	s := openTest(t)
	s.logEvent(EventSilentSkip, "一")
	file := filepath.Join(s.Root(), filepath.FromSlash(eventLog))
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, append(data, "{\"time\":\"2026\n"...), 0o644); err != nil {
		t.Fatal(err)
	}
	s.logEvent(EventSilentSkip, "二")
	list := s.events(10)
	if len(list) != 2 || list[0].Text != "一" || list[1].Text != "二" {
		t.Errorf("got %+v", list)
	}
}
