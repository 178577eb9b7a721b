package state

import (
	"cmp"
	"slices"
	"strings"
)

// placed is a chapter in the order of the numbers; the board's chapters and the checker's share these questions.
type placed interface {
	Number() (int, bool)
	Adopted() bool
}

func number[T placed](c T) int {
	n, _ := c.Number()
	return n
}

// search gives the place of the first chapter of a list sorted by number that is not below n.
func search[T placed](list []T, n int) (at int, found bool) {
	return slices.BinarySearchFunc(list, n, func(c T, n int) int { return cmp.Compare(number(c), n) })
}

// lower gives the chapter with the nearest lower number.
func lower[T placed](list []T, n int) (c T, ok bool) {
	i, _ := search(list, n)
	if i == 0 {
		return c, false
	}
	return list[i-1], true
}

// inAdoptedGap reports a number that is free, with an adopted chapter somewhere below it and another above it.
func inAdoptedGap[T placed](list []T, n int) bool {
	i, found := search(list, n)
	return !found && slices.ContainsFunc(list[:i], T.Adopted) && slices.ContainsFunc(list[i:], T.Adopted)
}

// arg is the chapter as a command argument: its number, or its key, quoted for a shell when it must be.
func (c *Chapter) arg() string {
	if n, ok := c.Number(); ok {
		return itoa(n)
	}
	return ShellWord(string(c.Key))
}

// ShellWord is a name as a command that a message shows needs it: quoted when a shell would read it as something else.
func ShellWord(s string) string {
	if s != "" && !strings.HasPrefix(s, "-") && !strings.ContainsAny(s, " \t'\"\\$&|;<>()*?[]#~`!{}=%") {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
