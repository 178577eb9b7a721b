package schema

import (
	"regexp"
	"sync"
)

// Pattern is a regular expression in a package's table. It is compiled when it is first asked for: there are some fifty in
// the program, and a command that answers in ten milliseconds must not compile those of others. A bad expression panics
// then, as regexp.MustCompile does.
func Pattern(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
