package guard

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// maxDepth bounds how deep shells inside of shells are read.
const maxDepth = 8

// Command lists what a shell command line would change. dir is the folder it starts in, "" for the caller's own.
func Command(line, dir string) []Target {
	// $PWD is wherever the line is by then, and paths are taken from there.
	r := &reader{dir: dir, vars: map[string]string{"PWD": "."}}
	r.line(line)
	return r.out
}

// reader goes through the commands of a line in order.
type reader struct {
	dir   string
	vars  map[string]string
	depth int
	out   []Target
}

func (r *reader) target(p, by string, tree bool) {
	if p != "" && p != "-" && !strings.HasPrefix(p, "/dev/") && !strings.HasPrefix(p, "&") {
		r.out = append(r.out, Target{Path: p, Dir: r.dir, By: by, Tree: tree})
	}
}

func (r *reader) line(src string) {
	if r.depth >= maxDepth {
		return
	}
	r.depth++
	defer func() { r.depth-- }()
	// Assignments of the line itself are seen before its words are expanded: F=x; echo >$F.
	for _, w := range lex(src, nil).out {
		r.assign(w)
	}
	l := lex(src, r.vars)
	for _, sub := range l.nested {
		r.line(sub)
	}
	var cmd []string
	body := 0
	flush := func() {
		r.command(cmd, l.bodies[min(body, len(l.bodies)):])
		cmd = nil
	}
	for i := 0; i < len(l.out); i++ {
		w := l.out[i]
		switch {
		case !w.op:
			cmd = append(cmd, w.text)
		case isWrite(w.text):
			if i+1 < len(l.out) && !l.out[i+1].op {
				i++
				if to := l.out[i].text; w.text != ">&" || !isNumber(to) {
					r.target(to, w.text, false)
				}
			}
		case w.text == "<" || w.text == "<&" || w.text == "<<<":
			if i+1 < len(l.out) && !l.out[i+1].op {
				i++
			}
		default:
			flush()
		}
	}
	flush()
}

func isWrite(op string) bool {
	return slices.Contains([]string{">", ">>", ">|", "&>", "&>>", "<>", ">&"}, op)
}

func isNumber(s string) bool { return s != "" && strings.Trim(s, "0123456789-") == "" }

func (r *reader) assign(w word) bool {
	name, value, ok := strings.Cut(w.text, "=")
	if w.op || !ok || name == "" {
		return false
	}
	if v, n := variable(name); v != name || n != len(name) {
		return false
	}
	r.vars[name] = value
	return true
}

// command looks at one simple command. bodies are the here-documents that may feed it.
func (r *reader) command(words, bodies []string) {
	for len(words) > 0 && (r.assign(word{text: words[0]}) || slices.Contains(
		[]string{"if", "then", "else", "elif", "do", "while", "until", "!", "{", "}", "fi", "done", "time", "exec", "command", "builtin", "nohup", "sudo", "doas", "nice", "stdbuf", "setsid"}, words[0])) {
		words = skipFlags(words[1:])
	}
	if len(words) == 0 {
		return
	}
	name, args := strings.TrimSuffix(path.Base(words[0]), ".exe"), words[1:]
	switch name {
	case "cd", "pushd":
		if dirs := plain(args); len(dirs) > 0 {
			r.dir = join(r.dir, dirs[0])
		}
	case "env":
		r.command(skipFlags(args), bodies)
	case "timeout":
		if rest := skipFlags(args); len(rest) > 1 {
			r.command(rest[1:], bodies)
		}
	case "xargs", "parallel":
		r.command(append(skipFlags(args), "*"), bodies)
	case "sh", "bash", "zsh", "dash", "ksh", "fish":
		if i := slices.IndexFunc(args, func(a string) bool { return strings.HasPrefix(a, "-") && strings.HasSuffix(a, "c") }); i >= 0 && i+1 < len(args) {
			r.line(args[i+1])
		} else if len(plain(args)) == 0 {
			for _, b := range bodies {
				r.line(b)
			}
		}
	case "eval":
		r.line(strings.Join(args, " "))
	case "git":
		r.git(args)
	case "find":
		r.find(args)
	case "python", "python3", "node", "ruby", "perl", "php", "deno", "bun", "lua":
		r.script(name, args, bodies)
	default:
		r.program(name, args)
	}
}

func skipFlags(words []string) []string {
	for len(words) > 0 && (strings.HasPrefix(words[0], "-") || strings.Contains(words[0], "=") && !strings.Contains(words[0], "/")) {
		words = words[1:]
	}
	return words
}

// plain are the words that are no options.
func plain(args []string) []string {
	var out []string
	for i, a := range args {
		if a == "--" {
			return append(out, args[i+1:]...)
		}
		if !strings.HasPrefix(a, "-") || a == "-" {
			out = append(out, a)
		}
	}
	return out
}

func join(dir, p string) string {
	if strings.HasPrefix(p, "/") || dir == "" || strings.HasPrefix(p, "~") {
		return p
	}
	return dir + "/" + p
}

// program lists what the usual programs write.
func (r *reader) program(name string, args []string) {
	words := plain(args)
	switch name {
	case "tee", "truncate", "shred", "unlink", "rmdir", "ed", "ex", "sponge":
		r.all(words, name, false)
	case "rm", "chmod", "chown":
		r.all(words, name, true)
	case "mv":
		r.all(words, name, true)
		r.into(words, args, name)
	case "cp", "install", "ln", "rsync", "scp":
		if len(words) > 0 {
			r.target(words[len(words)-1], name, false)
		}
		r.into(words, args, name)
	case "sed", "gsed":
		if slices.ContainsFunc(args, func(a string) bool {
			return strings.HasPrefix(a, "--in-place") || strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "--") && strings.Contains(a, "i")
		}) {
			r.all(words, name+" -i", false)
		}
	case "awk", "gawk":
		if slices.Contains(args, "inplace") {
			r.all(words, name, false)
		}
	case "dd":
		for _, a := range args {
			if p, ok := strings.CutPrefix(a, "of="); ok {
				r.target(p, name, false)
			}
		}
	case "sort", "curl", "wget", "pandoc", "iconv", "jq":
		for i, a := range args {
			if (a == "-o" || a == "-O" || a == "--output") && i+1 < len(args) {
				r.target(args[i+1], name, false)
			} else if p, ok := strings.CutPrefix(a, "--output="); ok {
				r.target(p, name, false)
			}
		}
	case "patch":
		r.all(words, name, false)
		r.target(".", name, true)
	}
}

func (r *reader) all(words []string, by string, tree bool) {
	for _, w := range words {
		r.target(w, by, tree)
	}
}

// into adds what a copy or a move makes inside of a folder: DEST/NAME for each source, and -t DEST.
func (r *reader) into(words, args []string, by string) {
	dest := ""
	if i := slices.IndexFunc(args, func(a string) bool { return a == "-t" || a == "--target-directory" }); i >= 0 && i+1 < len(args) {
		dest = args[i+1]
	}
	for _, a := range args {
		if d, ok := strings.CutPrefix(a, "--target-directory="); ok {
			dest = d
		}
	}
	sources := words
	if dest == "" && len(words) > 1 {
		dest, sources = words[len(words)-1], words[:len(words)-1]
	}
	if dest == "" {
		return
	}
	for _, src := range sources {
		r.target(strings.TrimSuffix(dest, "/")+"/"+path.Base(src), by, true)
	}
}

// git lists what git's commands do to the worktree, past the hooks.
func (r *reader) git(args []string) {
	was := r.dir
	defer func() { r.dir = was }()
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		n := 1
		if (args[0] == "-C" || args[0] == "-c" || args[0] == "--git-dir" || args[0] == "--work-tree") && len(args) > 1 {
			if n = 2; args[0] == "-C" {
				r.dir = join(r.dir, args[1])
			}
		}
		args = args[n:]
	}
	if len(args) == 0 {
		return
	}
	verb, rest := args[0], args[1:]
	by := "git " + verb
	has := func(flags ...string) bool {
		return slices.ContainsFunc(rest, func(a string) bool { return slices.Contains(flags, a) })
	}
	switch verb {
	case "checkout", "restore":
		r.all(plain(rest), by, true)
		if has("-f", "--force") {
			r.target(".", by, true)
		}
	case "rm", "mv":
		r.all(plain(rest), by, true)
	case "reset":
		if has("--hard", "--merge", "--keep") {
			r.target(".", by, true)
		}
	case "clean", "apply", "am", "read-tree", "checkout-index", "filter-branch":
		if !has("-n", "--dry-run", "--check", "--stat") {
			r.target(".", by, true)
		}
	case "stash":
		if len(rest) == 0 || !slices.Contains([]string{"list", "show"}, rest[0]) {
			r.target(".", by, true)
		}
	case "commit", "push":
		if has("--no-verify") || verb == "commit" && has("-n") {
			r.target(".", by+" --no-verify", true)
		}
	case "update-ref", "symbolic-ref", "update-index":
		r.target(".", by, true)
	}
}

func (r *reader) find(args []string) {
	var roots []string
	for _, a := range args {
		if strings.HasPrefix(a, "-") || a == "(" || a == "!" {
			break
		}
		roots = append(roots, a)
	}
	if len(roots) == 0 {
		roots = []string{"."}
	}
	if slices.Contains(args, "-delete") {
		r.all(roots, "find -delete", true)
	}
	for i, a := range args {
		if a != "-exec" && a != "-execdir" && a != "-ok" {
			continue
		}
		inner := &reader{dir: r.dir, vars: r.vars, depth: r.depth + 1}
		inner.command(slices.Clone(args[i+1:]), nil)
		if slices.ContainsFunc(inner.out, func(t Target) bool { return strings.Contains(t.Path, "{}") }) {
			r.all(roots, "find -exec", true)
		}
	}
}

// opensToWrite finds an open() whose mode writes.
var opensToWrite = regexp.MustCompile(`open\([^)]*,\s*(mode\s*=\s*)?['"][^'"]*[wax+]`)

// script looks at code that stands on the command line or in a here-document: a text in it that names a file counts when the
// code also has a word of writing.
func (r *reader) script(name string, args, bodies []string) {
	parts := slices.Clone(bodies)
	for i, a := range args {
		if strings.HasPrefix(a, "-") && (strings.HasSuffix(a, "c") || strings.HasSuffix(a, "e") || strings.HasSuffix(a, "E")) && i+1 < len(args) {
			parts = append(parts, args[i+1])
		}
	}
	code := strings.Join(parts, "\n")
	if name == "perl" || name == "ruby" {
		if slices.ContainsFunc(args, func(a string) bool {
			return strings.HasPrefix(a, "-") && strings.Contains(a, "i") && !strings.HasPrefix(a, "--")
		}) {
			r.all(plain(args), name+" -i", false)
		}
	}
	if !opensToWrite.MatchString(code) && !slices.ContainsFunc(
		[]string{"write", "os.remove", "unlink", "rename", "os.replace", "rmtree", "rmSync", "shutil.", "copyFile", "truncate", "File.delete"},
		func(w string) bool {
			return strings.Contains(strings.NewReplacer("stdout.write", "", "stderr.write", "").Replace(code), w)
		}) {
		return
	}
	for _, q := range []string{"'", `"`, "`"} {
		for i, s := range strings.Split(code, q) {
			if i%2 == 1 && strings.ContainsAny(s, "/.") && len(s) < 1024 && !strings.ContainsAny(s, "\n") {
				r.target(s, name, true)
			}
		}
	}
}
