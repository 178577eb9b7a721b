package repo_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"git-novel/repo"
	"git-novel/repo/gitstore"
	"git-novel/schema"
)

// childEnv makes the test binary play another process: "role kill-at dir".
const childEnv = "NOVEL_REPO_TEST_CHILD"

func child(spec string) int {
	parts := strings.SplitN(spec, " ", 3)
	if len(parts) != 3 {
		return 2
	}
	at, err := strconv.Atoi(parts[1])
	if err != nil {
		return 2
	}
	if err := play(parts[0], at, parts[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func play(role string, at int, dir string) error {
	o := options(filepath.Dir(dir))
	n := 0
	trace := os.Getenv("NOVEL_REPO_TEST_TRACE") != ""
	o.Failpoint = func(name string) error {
		n++
		if trace {
			fmt.Println(n, name)
		}
		if n == at {
			if self, err := os.FindProcess(os.Getpid()); err == nil {
				_ = self.Kill()
			}
			select {}
		}
		return nil
	}
	if strings.HasSuffix(role, "+git") {
		withGit(&o)
	}
	ctx := context.Background()
	l, err := repo.Open(ctx, dir, o)
	if err != nil {
		return err
	}
	defer l.Close()
	switch strings.TrimSuffix(role, "+git") {
	case "recover":
		return nil
	case "transition":
		_, err = l.Update(ctx, transition)
		return err
	case "trash":
		_, err = l.Update(ctx, trashBook)
		return err
	case "place":
		_, err = l.Update(ctx, placeBook)
		return err
	case "merge":
		_, err = l.UpdateMerge(ctx, conclude)
		return err
	case "race":
		return race(ctx, l, at)
	}
	return errors.New("unknown role " + role)
}

// transition touches five paths and more: a change, a new file in new folders, a deletion, a rename, a text that the
// author edited, a side commit and a tag.
func transition(tx *repo.Tx) error {
	tx.MessageText("review(雨夜灯 第03章): 第2轮 0 阻断\n\nNovel-Book: 雨夜灯\nNovel-Chapter: 0003\n")
	steps := []func() error{
		func() error { return tx.Write(statePath, []byte("{\"state\": \"new\"}\n")) },
		func() error { return tx.Write(newPath, []byte("{\"review\": 1}\n")) },
		func() error { return tx.Remove(gonePath) },
		func() error { return tx.Rename(fromPath, toPath) },
		func() error { _, err := tx.Take(takenPath); return err },
		func() error {
			work, err := tx.Library().FileBlob(editedPath)
			if err != nil {
				return err
			}
			return tx.Replace(editedPath, []byte("作者的改动，合入。\n"), work)
		},
		func() error {
			return tx.Side("refs/heads/trash/雨夜灯-1", func(b *gitstore.Batch, head *repo.Snapshot) (*gitstore.Commit, error) {
				tree, err := b.PatchTree(head.Tree(), []gitstore.Edit{
					{Path: "trash.txt", Mode: gitstore.ModeFile, ID: b.Blob([]byte("trash\n"))},
				})
				return &gitstore.Commit{Tree: tree, Parents: []schema.OID{head.Commit()}, Message: "trash(雨夜灯): x\n"}, err
			})
		},
		func() error { return tx.Ref("refs/tags/novel/book/0003/r1", schema.OID{}, tx.Snapshot().Commit()) },
	}
	for _, s := range steps {
		if err := s(); err != nil {
			return err
		}
	}
	return nil
}

const (
	statePath  = ".novel-writer/books/雨夜灯/state.json"
	newPath    = ".novel-writer/books/雨夜灯/chapters/0003/review.json"
	gonePath   = ".novel-writer/books/雨夜灯/batch_state.json"
	fromPath   = "novels/雨夜灯/第03章 旧名.md"
	toPath     = "novels/雨夜灯/第03章 新名.md"
	takenPath  = "novels/雨夜灯/第02章.md"
	editedPath = ".novel-writer/books/雨夜灯/settings/世界.md"
)
