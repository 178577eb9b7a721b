package gitstore

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"
	"time"

	"git-novel/schema"
)

// tangle makes a random history with merges and crooked clocks and gives its tips.
func tangle(t *testing.T, r *Repo, g *git, n int, seed int64) []schema.OID {
	t.Helper()
	rnd := rand.New(rand.NewSource(seed))
	b := r.NewBatch()
	tree := must[schema.OID](t)(b.PatchTree(schema.OID{}, []Edit{{Path: "a", Mode: ModeFile, ID: b.Blob([]byte("a"))}}))
	var all []schema.OID
	used := map[schema.OID]bool{}
	for i := range n {
		c := &Commit{Tree: tree, Message: fmt.Sprint("c", i)}
		for range min(rnd.Intn(3), len(all)) {
			p := all[max(0, len(all)-1-rnd.Intn(6))]
			if !slices.Contains(c.Parents, p) {
				c.Parents = append(c.Parents, p)
				used[p] = true
			}
		}
		when := testClock().Add(time.Duration(i+rnd.Intn(20)-10) * time.Minute)
		c.Author = Ident{Name: "A", Email: "a@b", When: when}
		c.Committer = c.Author
		all = append(all, must[schema.OID](t)(b.Commit(c)))
	}
	ok(t, b.Flush(t.Context()))
	var tips []schema.OID
	var refs strings.Builder
	for i, id := range all {
		if !used[id] {
			tips = append(tips, id)
			fmt.Fprintf(&refs, "create refs/heads/t%03d %s\n", i, id)
		}
	}
	if out, err := g.try([]byte(refs.String()), "update-ref", "--stdin"); err != nil {
		t.Fatal(out)
	}
	return tips
}

func TestLogAgreesWithGit(t *testing.T) {
	t.Parallel()
	for seed := range int64(6) {
		r, g := newRepo(t)
		tips := tangle(t, r, g, 60, seed)
		if seed%2 == 0 {
			g.run("gc", "-q")
		}
		for _, tip := range tips[max(0, len(tips)-3):] {
			var got []string
			ok(t, r.Log(tip, func(c *Commit) (bool, error) { got = append(got, c.ID.String()); return true, nil }))
			want := g.run("log", "--date-order", "--format=%H", tip.String())
			if strings.Join(got, "\n") != want && !sameOrderClass(g, got, want) {
				t.Errorf("seed %d: order\n%s\ngit\n%s", seed, strings.Join(got, "\n"), want)
			}
		}
		var got []string
		hidden := tips[0]
		ok(t, r.LogTips(tips, func(id schema.OID) bool { return id == hidden }, func(c *Commit) (bool, error) {
			got = append(got, c.ID.String())
			return true, nil
		}))
		if slices.Contains(got, hidden.String()) {
			t.Error("the hidden commit was reported")
		}
		n := 0
		ok(t, r.Log(tips[len(tips)-1], func(*Commit) (bool, error) { n++; return n < 3, nil }))
		if n > 3 {
			t.Errorf("%d commits after the end", n)
		}
	}
}

// sameOrderClass accepts another order among commits of the same second, and only that.
func sameOrderClass(g *git, got []string, want string) bool {
	dates := func(ids []string) []string {
		return strings.Split(g.run(append([]string{"show", "-s", "--no-walk=unsorted", "--format=%ct"}, ids...)...), "\n")
	}
	w := strings.Split(want, "\n")
	a, b := slices.Clone(got), slices.Clone(w)
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(a, b) && slices.Equal(dates(got), dates(w))
}

func TestAncestryAgreesWithGit(t *testing.T) {
	t.Parallel()
	r, g := newRepo(t)
	tips := tangle(t, r, g, 50, 42)
	all := strings.Fields(g.run("rev-list", "--all"))
	rnd := rand.New(rand.NewSource(1))
	for range 40 {
		x, y := all[rnd.Intn(len(all))], all[rnd.Intn(len(all))]
		_, err := g.try(nil, "merge-base", "--is-ancestor", x, y)
		if got := must[bool](t)(r.IsAncestor(oid(t, x), oid(t, y))); got != (err == nil) {
			t.Errorf("%s ancestor of %s: %v", x, y, got)
		}
		bases, err := g.try(nil, "merge-base", "--all", x, y)
		base, found, gerr := r.MergeBase(oid(t, x), oid(t, y))
		ok(t, gerr)
		if found != (err == nil) || found && !strings.Contains(bases, base.String()) {
			t.Errorf("merge base of %s and %s: %s %v, git %q", x, y, base, found, bases)
		}
	}
	_ = tips
}

func TestShallowHistoryEnds(t *testing.T) {
	t.Parallel()
	r, g := newRepo(t)
	for i := range 5 {
		commitFiles(t, r, fmt.Sprint(i), map[string]string{"a": fmt.Sprint(i)})
	}
	dir := t.TempDir()
	g.run("clone", "-q", "--depth", "2", "file://"+g.dir, dir)
	s := openRepo(t, dir)
	n := 0
	ok(t, s.Log(must[Head](t)(s.Head()).ID, func(*Commit) (bool, error) { n++; return true, nil }))
	if n != 2 {
		t.Errorf("%d commits", n)
	}
	if _, err := s.ResolveRev("HEAD~2"); schema.CodeOf(err) != schema.CodeNotFound {
		t.Errorf("HEAD~2: %v", err)
	}
}

func TestRevisionsAgreeWithGit(t *testing.T) {
	t.Parallel()
	r, g := newRepo(t)
	for i := range 4 {
		commitFiles(t, r, fmt.Sprint(i), map[string]string{"a": fmt.Sprint(i)})
	}
	g.run("branch", "side", "HEAD~2")
	g.run("checkout", "-q", "side")
	commitFiles(t, r, "s", map[string]string{"s": "s"})
	g.run("checkout", "-q", "main")
	g.run("merge", "-q", "--no-edit", "side")
	g.run("tag", "-a", "-m", "x", "v1", "HEAD~1")
	g.run("tag", "-a", "-m", "x", "v2", "v1")
	g.run("update-ref", "refs/remotes/origin/main", "HEAD~1")
	g.run("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
	g.run("gc", "-q")
	commitFiles(t, r, "loose", map[string]string{"a": "loose"})
	head := g.run("rev-parse", "HEAD")
	old := g.run("rev-parse", "HEAD~3")
	for _, rev := range []string{
		"HEAD", "@", "main", "heads/main", "refs/heads/main", "side", "v1", "v2", "tags/v1", "v2^{commit}", "v1^{}", "origin", "origin/main", "HEAD^", "HEAD^1", "HEAD~1^2", "HEAD~1^2~1", "@~2^", "HEAD^0", "HEAD~0",
		head, head[:7], old[:8], strings.ToUpper(old[:12]), "HEAD@{1}", "main@{0}", "@{1}", "HEAD@{2}~1", "HEAD^^", "HEAD~1^1^",
	} {
		want := g.run("rev-parse", "--verify", rev+"^{commit}")
		if got, err := r.ResolveRev(rev); err != nil || got.String() != want {
			t.Errorf("%s: %s %v, git says %s", rev, got, err, want)
		}
	}
	blob := g.run("rev-parse", "HEAD:a")
	for _, rev := range []string{"", "none", "HEAD^3", "HEAD~99", "-x", "--all", blob, blob[:10], "HEAD^{tree}", "0000000", "zz", "HEAD@{99}", "HEAD~99999999999999999999", "v9", "HEAD:a"} {
		if got, err := r.ResolveRev(rev); err == nil || schema.CodeOf(err) != schema.CodeNotFound {
			t.Errorf("%q: %s %v", rev, got, err)
		}
	}
}
