package workflow

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"git-novel/repo"
	"git-novel/repo/gitstore"
	"git-novel/schema"
)

// fate is what befell one file of a book before it was deleted.
type fate struct {
	Name  string
	Saved string // "" when no commit has it
	Disk  string // "" when it is not on disk
	Exec  bool
}

func fates() *rapid.Generator[[]fate] {
	text := rapid.SampledFrom([]string{"雨。\n", "灯。", "a\r\nb\r\n", "\ufeff雪\n", "\x00\xff二进制", "{\"book\": \"雨夜灯\"}\n"})
	one := rapid.Custom(func(t *rapid.T) fate {
		f := fate{
			Name: rapid.SampledFrom([]string{
				"novels/%s/笔记.txt", "novels/%s/图/封面.bin", "novels/%s/图/深/一.md", "novels/%s/秘密.key", "novels/%s/.gitignore",
				"novels/创作资料/%s/大纲.md", ".novel-writer/books/%s/settings/世界.md", ".novel-writer/books/%s/patterns.json",
				".novel-writer/drafts/%s/第09章__draft.md", ".novel-writer/audits/%s-0123456789abcdef.json", ".novel-writer/summaries/%s.json",
				".novel-writer/tmp/%s/0001/x.json", ".novel-writer/embedding/%s.json",
			}).Draw(t, "name"),
			Exec: rapid.Bool().Draw(t, "exec"),
		}
		if rapid.Bool().Draw(t, "saved") {
			f.Saved = text.Draw(t, "saved text")
		}
		switch rapid.IntRange(0, 3).Draw(t, "disk") {
		case 0:
			if f.Saved == "" {
				f.Disk = text.Draw(t, "new")
			} // else deleted by hand
		case 1:
			f.Disk = text.Draw(t, "edit")
		default:
			f.Disk = f.Saved
			if f.Saved == "" {
				f.Disk = text.Draw(t, "untracked")
			}
		}
		return f
	})
	return rapid.SliceOfNDistinct(one, 1, 8, func(f fate) string { return f.Name })
}

// befall makes the files of a book what their fates say.
func befall(t *testing.T, s *Session, book string, list []fate) {
	t.Helper()
	_, err := s.lib.Update(context.Background(), func(tx *repo.Tx) error {
		tx.MessageText("by hand\n")
		for _, f := range list {
			if f.Saved != "" && !strings.Contains(f.Name, "/tmp/") && !strings.Contains(f.Name, "embedding") {
				if err := tx.Write(fmt.Sprintf(f.Name, book), []byte(f.Saved)); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range list {
		file := filepath.Join(s.Root(), filepath.FromSlash(fmt.Sprintf(f.Name, book)))
		if f.Disk == "" {
			if err := os.RemoveAll(file); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		perm := fs.FileMode(0o644)
		if f.Exec {
			perm = 0o755
		}
		if err := os.WriteFile(file, []byte(f.Disk), perm); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(file, perm); err != nil {
			t.Fatal(err)
		}
	}
}

// picture is every file on disk with its executable bit, and every file of HEAD.
func picture(t *testing.T, s *Session) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(s.Root(), func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(s.Root(), p)
		rel = filepath.ToSlash(rel)
		if rel == ".git" {
			return fs.SkipDir
		}
		if !d.Type().IsRegular() {
			return nil
		}
		data, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		info, err := d.Info()
		out["disk "+rel] = fmt.Sprintf("%v %q", info.Mode().Perm()&0o100 != 0, data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	snap, err := s.lib.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	out["HEAD"] = snap.Tree().String()
	return out
}

// TestDeletedBooksComeBackAsTheyWere: whatever the files of a book are, delete and restore give the same disk and the same
// tree, but for files that were missing on disk: those come back as they were saved. Another book stays as it is throughout.
func TestDeletedBooksComeBackAsTheyWere(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := openTest(t)
	ignores := filepath.Join(s.Root(), ".gitignore")
	data, err := os.ReadFile(ignores)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(ignores, append(data, "*.key\n"...), 0o644); err != nil {
		t.Fatal(err)
	}
	other := "雨夜灯-外传"
	if _, err := s.BookNew(ctx, other); err != nil {
		t.Fatal(err)
	}
	befall(t, s, other, fates().Example(99))
	for seed := range 24 {
		s.o.Book = ""
		list := fates().Example(seed)
		if _, err := s.BookNew(ctx, "雨夜灯"); err != nil {
			t.Fatal(err)
		}
		befall(t, s, "雨夜灯", list)
		before := picture(t, s)
		gone, err := s.BookDelete(ctx, BookDeleteInput{Book: "雨夜灯", Apply: true})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		between := picture(t, s)
		for p := range between {
			if strings.Contains(p, "雨夜灯") && !strings.Contains(p, other) {
				t.Errorf("seed %d: %s stayed", seed, p)
			}
		}
		if _, err := s.BookRestore(ctx, gone.Branch, ""); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		after := picture(t, s)
		for _, f := range list {
			if f.Disk == "" {
				delete(after, "disk "+fmt.Sprintf(f.Name, "雨夜灯"))
			}
		}
		if diff := cmp.Diff(before, after); diff != "" {
			t.Errorf("seed %d: before (-) and after (+): %s", seed, diff)
		}
		if v, err := s.Verify(ctx); err != nil || len(v.Faults) > 0 {
			t.Fatalf("seed %d: %v %v", seed, v, err)
		}
		if _, err := s.BookDelete(ctx, BookDeleteInput{Book: "雨夜灯", Apply: true}); err != nil {
			t.Fatalf("seed %d, again: %v", seed, err)
		}
		if diff := cmp.Diff(between, picture(t, s)); diff != "" {
			t.Errorf("seed %d: another book changed: %s", seed, diff)
		}
	}
}

// TestRenamedThereAndBack: a rename and its way back give the same disk and tree.
func TestRenamedThereAndBack(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := openTest(t)
	for seed := range 10 {
		s.o.Book = ""
		// Drafts enter git with the rename, and what was deleted comes back: neither is as it was.
		list := slices.DeleteFunc(fates().Example(seed), func(f fate) bool { return f.Disk == "" || strings.Contains(f.Name, "drafts") })
		if _, err := s.BookNew(ctx, "雨夜灯"); err != nil {
			t.Fatal(err)
		}
		befall(t, s, "雨夜灯", list)
		before := picture(t, s)
		if _, err := s.BookRename(ctx, "雨夜灯", "雪 夜%灯"); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if _, err := s.BookRename(ctx, "雪 夜%灯", "雨夜灯"); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if diff := cmp.Diff(before, picture(t, s)); diff != "" {
			t.Errorf("seed %d: before (-) and after (+): %s", seed, diff)
		}
		if v, err := s.Verify(ctx); err != nil || len(v.Faults) > 0 {
			t.Fatalf("seed %d: %v %v", seed, v, err)
		}
		if _, err := s.BookDelete(ctx, BookDeleteInput{Book: "雨夜灯", Apply: true}); err != nil {
			t.Fatal(err)
		}
	}
}

func TestBooksThatCannotMove(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := openTest(t)
	if _, err := s.BookNew(ctx, "雨夜灯"); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(s.Root(), "novels", "雨夜灯")
	if err := os.Symlink("x", filepath.Join(dir, "连")); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "仓", ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	big, err := os.Create(filepath.Join(dir, "大.bin"))
	if err != nil {
		t.Fatal(err)
	}
	if err := big.Truncate(repo.MaxFile + 1); err != nil {
		t.Fatal(err)
	}
	if err := big.Close(); err != nil {
		t.Fatal(err)
	}
	plan, err := s.BookDelete(ctx, BookDeleteInput{Book: "雨夜灯"})
	if err != nil || len(plan.Faults) != 3 {
		t.Fatalf("%v %v", plan, err)
	}
	before := picture(t, s)
	if _, err := s.BookDelete(ctx, BookDeleteInput{Book: "雨夜灯", Apply: true}); schema.CodeOf(err) != schema.CodeConflict || len(faultsOf(err)) != 3 {
		t.Errorf("%v", err)
	}
	if _, err := s.BookRename(ctx, "雨夜灯", "雪夜灯"); schema.CodeOf(err) != schema.CodeConflict {
		t.Errorf("%v", err)
	}
	if diff := cmp.Diff(before, picture(t, s)); diff != "" {
		t.Errorf("something moved: %s", diff)
	}
}

// TestLockedBooksStay: a batch or another long command on the book keeps delete, restore and rename out.
func TestLockedBooksStay(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := openTest(t)
	if _, err := s.BookNew(ctx, "雨夜灯"); err != nil {
		t.Fatal(err)
	}
	lk, err := s.lib.LockBook(ctx, "雨夜灯")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.BookDelete(ctx, BookDeleteInput{Book: "雨夜灯", Apply: true}); schema.CodeOf(err) != schema.CodeConflict {
		t.Errorf("delete: %v", err)
	}
	if _, err := s.BookRename(ctx, "雨夜灯", "雪夜灯"); schema.CodeOf(err) != schema.CodeConflict {
		t.Errorf("rename: %v", err)
	}
	lk.Release()
	r, err := s.BookDelete(ctx, BookDeleteInput{Book: "雨夜灯", Apply: true})
	if err != nil || path.Dir(r.Branch) != "trash" {
		t.Fatalf("%v %v", r, err)
	}
}

// TestForeignTrashBringsNothingAlong: a branch that comes with a clone can hold anything. Only files of the book are taken
// from one that says it is a book, and all or none.
func TestForeignTrashBringsNothingAlong(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for i, c := range []struct {
		path, message string
		code          schema.Code
	}{
		{".novel-writer/config.toml", "trash(雨夜灯): x\n\nNovel-Book: 雨夜灯\nNovel-Trash: book\n", schema.CodeInvalid},
		{"novels/别的/第01章.md", "trash(雨夜灯): x\n\nNovel-Book: 雨夜灯\nNovel-Trash: book\n", schema.CodeInvalid},
		{"novels/雨夜灯/第01章.md", "trash: x\n\nNovel-Book: ../x\nNovel-Trash: book\n", schema.CodeInvalid},
		{"novels/雨夜灯/第01章.md", "a branch of somebody's\n", schema.CodeUsage},
		{"novels/雨夜灯/第01章.md", "trash(雨夜灯): x\n\nNovel-Book: 雨夜灯\nNovel-Trash: damaged\n", schema.CodeUsage},
	} {
		s := openTest(t)
		branch := fmt.Sprintf("trash/x-%d", i)
		_, err := s.lib.Update(ctx, func(tx *repo.Tx) error {
			return tx.Side("refs/heads/"+branch, func(b *gitstore.Batch, _ *repo.Snapshot) (*gitstore.Commit, error) {
				tree, err := b.PatchTree(schema.OID{}, []gitstore.Edit{
					{Path: c.path, Mode: gitstore.ModeFile, ID: b.Blob([]byte("x\n"))},
					{Path: "trash.json", Mode: gitstore.ModeFile, ID: b.Blob([]byte("no manifest"))},
				})
				return &gitstore.Commit{Tree: tree, Message: c.message}, err
			})
		})
		if err != nil {
			t.Fatal(err)
		}
		before := picture(t, s)
		if _, err := s.BookRestore(ctx, branch, ""); schema.CodeOf(err) != c.code {
			t.Errorf("%s in %q: %v", c.path, c.message, err)
		}
		if rows, err := s.BookTrash(ctx); err != nil || len(rows) != 1 {
			t.Errorf("%v %v", rows, err)
		}
		if diff := cmp.Diff(before, picture(t, s)); diff != "" {
			t.Errorf("changed: %s", diff)
		}
	}
}
