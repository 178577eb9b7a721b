package hooks

import (
	"strings"

	"git-novel/repo/gitstore"
)

// keptSuffix is put behind the name of a hook that was there before ours. git runs no file of such a name.
const keptSuffix = ".before-git-novel"

// keptName is where the hook that was there before lies.
func keptName(hook string) string { return hook + keptSuffix }

// wasPrefix begins a line of the server's script that remembers a setting as it was before the installation.
const wasPrefix = "# git-novel was: "

// script is the hook script of ours: plain sh, which git brings along on every system. The hook that was there before runs
// first, with the same arguments and input; where it says no, its exit code is the answer. program is where git-novel was
// at the installation, for a git whose PATH is shorter than the person's; it may be empty. was are lines to remember.
func script(hook, program string, was []string) string {
	var b strings.Builder
	put := func(s string) { b.WriteString(s + "\n") }
	put("#!/bin/sh")
	put(gitstore.HookMarker + ": " + hook + ". `git novel hooks uninstall` takes it away and brings back what was here before.")
	put(gitstore.HookChainMarker + keptName(hook))
	for _, w := range was {
		put(wasPrefix + w)
	}
	// $0 has a folder in front; git runs hooks with the top folder as the current one.
	put(`kept="${0%/*}/` + keptName(hook) + `"`)
	put("code=0")
	feed := ""
	if readsInput(hook) {
		put("input=$(cat)")
		put(`feed() { [ -z "$input" ] || printf '%s\n' "$input"; }`)
		feed = "feed | "
	}
	// A hook manager may in its turn call the hook that it found, which is this one: then the kept one is running already.
	put(`if [ -x "$kept" ] && [ "${GIT_NOVEL_CHAIN-}" != "$PWD/$kept" ]; then`)
	stop := "exit $?"
	if afterwards(hook) {
		stop = "code=$?"
	}
	if feed == "" {
		put(`	GIT_NOVEL_CHAIN="$PWD/$kept" "$kept" "$@" || ` + stop)
	} else {
		put(`	feed | GIT_NOVEL_CHAIN="$PWD/$kept" "$kept" "$@" || ` + stop)
	}
	put("fi")
	put("novel=git-novel")
	put(`command -v "$novel" >/dev/null 2>&1 || novel=` + shellQuote(program))
	put(`if [ -z "$novel" ] || ! command -v "$novel" >/dev/null 2>&1; then`)
	put("	echo " + shellQuote(notFound(hook)) + " >&2")
	if hook == PreReceive {
		put("	exit 1")
	} else {
		put(`	exit "$code"`)
	}
	put("fi")
	put(feed + `"$novel" hook ` + hook + ` -- "$@"` + map[bool]string{true: "", false: " || code=$?"}[afterwards(hook)])
	put(`exit "$code"`)
	return b.String()
}

// notFound is the one line of a script that finds no git-novel, in both languages: nothing is there that could choose.
func notFound(hook string) string {
	switch hook {
	case PreReceive:
		return "git-novel was not found on this server, so the push is refused: its rules cannot be checked / 服务器上找不到 git-novel，无法检查规则，推送被拒绝"
	case PreCommit, CommitMsg:
		return "git-novel was not found: this commit is not checked (" + hook + ") / 找不到 git-novel，本次提交未经检查"
	case PrePush:
		return "git-novel was not found: this push is not checked / 找不到 git-novel，本次推送未经检查"
	default:
		return "git-novel was not found: lost drafts are not looked for (" + hook + ") / 找不到 git-novel，未查找丢失的草稿"
	}
}

// shellQuote quotes a word for sh.
func shellQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// remembered reads the settings that the script of a server remembers.
func remembered(text string) map[string]string {
	out := map[string]string{}
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(strings.TrimRight(line, "\r\n"), wasPrefix); ok {
			key, value, _ := strings.Cut(rest, "=")
			out[key] = value
		}
	}
	return out
}
