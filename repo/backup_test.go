package repo_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"git-novel/repo"
	"git-novel/schema"
)

func withoutGit(o *repo.Options) { o.NoGit = true }

// backedUp is a library with some commits and tags, and a bare folder as its backup.
func backedUp(t *testing.T, opt func(*repo.Options)) (*repo.Library, oracle, oracle, repo.Remote) {
	t.Helper()
	l, o := library(t, opt)
	if err := os.WriteFile(filepath.Join(o.dir, "novels", "a.md"), []byte("一\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	o.git("add", ".")
	o.git("commit", "-qm", "one")
	r, err := l.AddBackup("b", filepath.Join("..", "备 份"), o.dir)
	if err != nil {
		t.Fatal(err)
	}
	return l, o, oracle{t: t, dir: r.URL}, r
}

func pushes(o oracle) []repo.Push {
	var out []repo.Push
	for line := range strings.Lines(o.git("for-each-ref", "--format=%(refname) %(objectname)", "refs/heads", "refs/tags")) {
		name, id, _ := strings.Cut(strings.TrimSpace(line), " ")
		oid, err := schema.ParseOID(id)
		if err != nil {
			o.t.Fatal(err)
		}
		out = append(out, repo.Push{Name: name, ID: oid})
	}
	return out
}

// TestBackup takes a backup through everything, by the git program and without it; both must leave the same refs.
func TestBackup(t *testing.T) {
	t.Parallel()
	for name, opt := range map[string]func(*repo.Options){"git": withGit, "native": withoutGit} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := context.Background()
			l, o, b, r := backedUp(t, opt)
			for i := range 700 { // more than a command line holds
				o.git("update-ref", fmt.Sprintf("refs/tags/novel/书/%04d/r1", i+1), "HEAD")
				if i == 20 && name == "native" {
					break
				}
			}
			if _, err := l.PushBackup(ctx, r, pushes(o)); err != nil {
				t.Fatal(err)
			}
			if got, want := b.git("for-each-ref"), o.git("for-each-ref", "refs/heads", "refs/tags"); got != want {
				t.Errorf("the backup has\n%s\nnot\n%s", got, want)
			}

			// Forward.
			o.git("commit", "-q", "--allow-empty", "-m", "two")
			if _, err := l.PushBackup(ctx, r, pushes(o)); err != nil {
				t.Fatal(err)
			}

			// A tag elsewhere is noted and left; the rest goes on.
			b.git("update-ref", "refs/tags/novel/书/0003/r1", "main~1^{tree}")
			elsewhere := b.git("rev-parse", "refs/tags/novel/书/0003/r1")
			o.git("commit", "-q", "--allow-empty", "-m", "three")
			refs, err := l.PushBackup(ctx, r, pushes(o))
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range refs {
				if noted := !p.Note.IsZero(); noted != strings.HasSuffix(p.Name, "/0003/r1") {
					t.Errorf("%s: %q", p.Name, p.Note)
				}
			}
			if got := b.git("rev-parse", "refs/tags/novel/书/0003/r1"); got != elsewhere {
				t.Errorf("the tag moved from %s to %s", elsewhere, got)
			}

			// A clone of it is whole.
			clone, err := l.CloneBackup(ctx, r, filepath.Join(t.TempDir(), "clone.git"))
			if err != nil {
				t.Fatal(err)
			}
			if err := clone.Close(); err != nil {
				t.Error(err)
			}

			// A branch that went another way: nothing moves, and what the backup has is told.
			other := strings.TrimSpace(b.git("commit-tree", "-m", "other", "main^{tree}", "-p", "main~1"))
			b.git("update-ref", "refs/heads/main", other)
			o.git("update-ref", "refs/tags/novel/书/9999/r1", "HEAD")
			before := b.git("for-each-ref")
			refs, err = l.PushBackup(ctx, r, pushes(o))
			if schema.CodeOf(err) != schema.CodeGit {
				t.Fatalf("a diverged backup: %v", err)
			}
			for _, p := range refs {
				if p.Name == "refs/heads/main" && (p.Note.IsZero() || p.Held.String() != other) {
					t.Errorf("%+v", p)
				}
				if strings.HasSuffix(p.Name, "/9999/r1") && p.Note.IsZero() {
					t.Error("a tag that was not pushed has no note")
				}
			}
			if after := b.git("for-each-ref"); after != before {
				t.Errorf("the backup moved:\n%s\n%s", before, after)
			}
			if out, err := b.try("fsck", "--strict", "--no-dangling"); err != nil {
				t.Errorf("fsck: %s %v", out, err)
			}

			// Gone: an error of git's kind, and a note on every ref.
			if err := os.Rename(b.dir, b.dir+"-moved"); err != nil {
				t.Fatal(err)
			}
			refs, err = l.PushBackup(ctx, r, pushes(o))
			if schema.CodeOf(err) != schema.CodeGit {
				t.Errorf("a missing backup: %v", err)
			}
			for _, p := range refs {
				if p.Note.IsZero() {
					t.Errorf("%s has no note", p.Name)
				}
			}
		})
	}
}

// TestNativePushToWorktree: the branch that somebody stands on there must not move under them.
func TestNativePushToWorktree(t *testing.T) {
	t.Parallel()
	l, o, _, _ := backedUp(t, withoutGit)
	dir := filepath.Join(t.TempDir(), "copy")
	o.git("clone", "-q", ".", dir)
	o.git("remote", "add", "w", dir)
	o.git("commit", "-q", "--allow-empty", "-m", "two")
	refs, err := l.PushBackup(context.Background(), repo.Remote{Name: "w", URL: dir}, pushes(o))
	if schema.CodeOf(err) != schema.CodeGit || refs[0].Note.IsZero() {
		t.Errorf("%v %+v", err, refs)
	}
	c := oracle{t: t, dir: dir}
	if got := c.git("status", "--porcelain"); got != "" {
		t.Errorf("the other worktree: %s", got)
	}
}

// TestConfirmed: what a backup was seen to hold is remembered, a damaged memory is none.
func TestConfirmed(t *testing.T) {
	t.Parallel()
	l, o, _, r := backedUp(t, withoutGit)
	refs := pushes(o)
	refs = append(refs, repo.Push{Name: "refs/tags/x", ID: refs[0].ID, Note: schema.Textf("left out")})
	if err := l.Confirm(r.Name, refs); err != nil {
		t.Fatal(err)
	}
	got := l.ConfirmedRefs()[r.Name]
	if got["refs/heads/main"] != refs[0].ID || len(got) != len(refs)-1 {
		t.Errorf("%v", got)
	}
	if err := os.WriteFile(filepath.Join(l.OwnDir(), "backups.json"), []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := l.ConfirmedRefs(); len(got) != 0 {
		t.Errorf("%v", got)
	}
}
