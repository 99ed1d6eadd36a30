package cell

import (
	"fmt"
	"regexp"
	"strings"
)

// habits are lines as people write them in other languages, with what Go or the kernel has in their place.
var habits = []struct {
	line *regexp.Regexp
	help string
}{
	{regexp.MustCompile(`^\s*(\?+[\w.]+|[\w.]+\?+)\s*$`), "the documentation of a name is shown by %help NAME"},
	{regexp.MustCompile(`\?[^"]*:`), "Go has no ?: for values; use if and else"},
	{regexp.MustCompile(`^\s*for\s+\(?\w+(\s*,\s*\w+)?\s+(in|of)\b`), "a loop over values is: for i, v := range values { … }"},
	{regexp.MustCompile(`=\s*\{`), `a list is written with its type, as []string{"a", "b"}`},
	{regexp.MustCompile(`^\s*(def|fn|function)\s`), "a function is: func name(x float64) float64 { return … }"},
	{regexp.MustCompile(`^\s*(while\b)`), "a loop with a condition is: for n < 10 { … }"},
	{regexp.MustCompile(`^\s*(try|throw|raise)\b`), "Go returns errors as values: v, err := f(), then if err != nil { … }"},
	{regexp.MustCompile(`^\s*(let|auto|val)\s+\w+\s*=`), "a variable is defined by x := …"},
}

// hintForOtherLanguage returns what stands in the place of a line that does not parse; "" if nothing is known.
func hintForOtherLanguage(line string) string {
	for _, h := range habits {
		if h.line.MatchString(line) {
			return h.help
		}
	}
	return ""
}

// familiar returns the function of a package that a lower-case name may mean, such as stat.Mean for mean; "" for none.
func (k *checked) familiar(name string) string {
	member := strings.ToUpper(name[:1]) + name[1:]
	for _, pkg := range []string{"stat", "floats", "math", "slices", "sort", "strings", "fmt"} {
		path := k.s.Packages.Find(pkg, []string{member})
		if path == "" {
			continue
		}
		if p, err := k.s.Packages.Import(path); err == nil && p.Scope().Lookup(member) != nil {
			return fmt.Sprintf("did you mean %s.%s?", pkg, member)
		}
	}
	return ""
}

// twoValues finds the assignment of a call's values to too few variables.
var twoValues = regexp.MustCompile(`^assignment mismatch: 1 variable but (.+) returns 2 values$`)

// defines reports whether a line assigns to a name alone, as one that defines it would in other languages.
func defines(line, name string) bool {
	rest, is := strings.CutPrefix(strings.TrimSpace(line), name)
	rest = strings.TrimSpace(rest)
	return is && strings.HasPrefix(rest, "=") && !strings.HasPrefix(rest, "==")
}
