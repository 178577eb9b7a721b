package main

import (
	"crypto/sha1" //nolint:gosec // git's object names are SHA-1
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"git-novel/schema"

	"github.com/rogpeppe/go-internal/testscript"
)

// prose makes a chapter of n different sentences in paragraphs of three.
func prose(heading, n string) (string, error) {
	count, err := strconv.Atoi(n)
	if err != nil {
		return "", err
	}
	people := []string{"沈砚", "阿蘅", "老掌柜", "船家", "更夫", "小道童", "卖炭翁"}
	places := []string{"西市当铺", "渡口", "旧宅后院", "钟楼底下", "雨巷", "账房", "城门洞", "河堤", "药铺"}
	deeds := []string{"把灯芯拨亮了些", "数了一遍铜钱", "听见瓦上落雨", "收起那页旧账", "推开半扇木门", "望着水面不说话", "把伞递了过去", "折好一张纸条", "擦去案上的灰", "记下了那个名字", "绕过积水走远"}
	var b strings.Builder
	if heading == "" {
		heading = "第01章"
	} else {
		b.WriteString("# " + heading + "\n\n")
	}
	for i := range count {
		n := i + firstSentence(heading)
		fmt.Fprintf(&b, "%s在%s%s，第%s回想起这件事。", people[n%len(people)], places[n%len(places)], deeds[n%len(deeds)], hanNumber(n+1))
		if i%3 == 2 || i == count-1 {
			b.WriteString("\n\n")
		}
	}
	return strings.TrimRight(b.String(), "\n") + "\n", nil
}

// firstSentence lets no two chapters share a sentence: each number begins 1000 sentences after the one before, chapter 1
// with the first of all.
func firstSentence(heading string) int {
	if n, ok := schema.ParseNumber(heading); ok && n == 0 {
		return 500_000
	} else if ok {
		return 1000 * (n - 1)
	}
	sum := 0
	for _, r := range heading {
		sum += int(r)
	}
	return 1_000_000 + 100*sum
}

func hanNumber(n int) string {
	digits := []rune("零一二三四五六七八九")
	var out []rune
	for _, d := range strconv.Itoa(n) {
		out = append(out, digits[d-'0'])
	}
	return string(out)
}

// jsonGet checks or stores a value of a JSON document: jsonget FILE PATH WANT, or jsonget FILE PATH -env NAME. The file may
// be stdout. PATH is dotted, numbers index lists.
func jsonGet(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 3 {
		ts.Fatalf("usage: jsonget FILE PATH WANT | jsonget FILE PATH -env NAME")
	}
	var doc any
	if err := json.Unmarshal([]byte(ts.ReadFile(args[0])), &doc); err != nil {
		ts.Fatalf("%s is not one JSON value: %v\n%s", args[0], err, ts.ReadFile(args[0]))
	}
	got := fmt.Sprint(walk(doc, args[1]))
	if args[2] == "-env" {
		ts.Setenv(args[3], got)
		return
	}
	if (got == args[2]) == neg {
		ts.Fatalf("%s %s is %q, want %q (negated: %v)", args[0], args[1], got, args[2], neg)
	}
}

func walk(v any, path string) any {
	if path == "." {
		return v
	}
	for key := range strings.SplitSeq(path, ".") {
		switch t := v.(type) {
		case map[string]any:
			v = t[key]
		case []any:
			if key == "#" {
				v = len(t)
				continue
			}
			i, err := strconv.Atoi(key)
			if err != nil || i >= len(t) {
				return nil
			}
			v = t[i]
		default:
			return nil
		}
	}
	return v
}

// blobOf stores the git blob id of a file: blob FILE NAME.
func blobOf(ts *testscript.TestScript, _ bool, args []string) {
	data := []byte(ts.ReadFile(args[0]))
	h := sha1.New() //nolint:gosec // git's object names are SHA-1
	_, _ = fmt.Fprintf(h, "blob %d\x00", len(data))
	h.Write(data)
	ts.Setenv(args[1], hex.EncodeToString(h.Sum(nil)))
}

// sameTree checks that two folders hold the same files with the same bytes, .git left out: same DIR DIR.
func sameTree(ts *testscript.TestScript, neg bool, args []string) {
	a, b := treeOf(ts, args[0]), treeOf(ts, args[1])
	equal := a == b
	if equal == neg {
		ts.Fatalf("trees (negated: %v):\n%s\n---\n%s", neg, a, b)
	}
}

func treeOf(ts *testscript.TestScript, dir string) string {
	var b strings.Builder
	root := ts.MkAbs(dir)
	ts.Check(filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if d.Name() == ".git" {
				return filepath.SkipDir
			}
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		sum := sha1.Sum(data) //nolint:gosec // a fingerprint
		fmt.Fprintf(&b, "%s %x\n", filepath.ToSlash(rel), sum[:6])
		return err
	}))
	return b.String()
}
