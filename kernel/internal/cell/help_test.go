package cell

import (
	"strings"
	"testing"
)

// A name that is nearly right gets the right one: never one that nobody outside can see.
func TestNearestNames(t *testing.T) {
	s := newSession()
	run(t, s, Cell{Number: 1, Source: "import \"net/url\"\n\nvar at url.URL\ntype own struct{ count int }\nfunc " +
		"(own) total() int { return 0 }\nvar mine own"})
	for source, want := range map[string]string{
		"url.URL{Hots: \"a\"}":         "did you mean Host?",
		"at.Hostnam()":                 "did you mean Hostname?",
		"strings.Builder{Gro: 1}":      "", // Grow and grow are methods
		"strings.Builder{}.Copychec()": "", // copyCheck is for package strings
		"own{cuont: 1}":                "did you mean count?",
		"mine.totl()":                  "did you mean total?",
		"strings.Feilds(\"a\")":        "did you mean strings.Fields?",
	} {
		_, err := s.Translate(Cell{Number: 2, Source: source})
		if err == nil || strings.Contains(err.Error(), "did you mean") != (want != "") ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", source, err, want)
		}
	}
}
