//go:build unix

package cell

import (
	"strings"
	"testing"

	"github.com/expfam/lab/internal/must"
)

// A cell that reads from standard input is told that there is none, once.
func TestInput(t *testing.T) {
	for source, want := range map[string]string{
		"var n int\nfmt.Scanln(&n)":                            "fmt.Scanln finds nothing: this cell has no such input",
		"var n int\nfmt.Scan(&n)":                              "fmt.Scan finds nothing",
		"func ask() (n int) { fmt.Scanf(\"%d\", &n); return }": "fmt.Scanf finds nothing",
		"io.ReadAll(os.Stdin)":                                 "os.Stdin finds nothing",
		"%%\nvar n int\nfmt.Scanln(&n)":                        "fmt.Scanln finds nothing",
		"var n int\nfmt.Sscan(\"1\", &n)":                      "",
		"var n int\nfmt.Fscan(strings.NewReader(\"1\"), &n)":   "",
		"fmt.Fprintln(os.Stdout)":                              "",
	} {
		s := newSession()
		first := strings.Join(run(t, s, Cell{ID: "a", Number: 1, Source: source}).Notes, "|")
		if (want == "") != (first == "") || !strings.Contains(first, want) {
			t.Errorf("%q: notes %q, want %q", source, first, want)
		}
		if again := run(t, s, Cell{ID: "a", Number: 2, Source: source}); len(again.Notes) > 0 {
			t.Errorf("%q again: %q", source, again.Notes)
		}
	}
}

// Where the person can be asked, the program asks where it reads.
func TestAsks(t *testing.T) {
	for source, want := range map[string]string{
		"var n int\nfmt.Scanln(&n)":                         "fmt.Fscanln(main_input.Of(main_os.Stdin), &n)",
		"var n int\nfmt.Scan(&n)":                           "fmt.Fscan(main_input.Of(main_os.Stdin), &n)",
		"io.ReadAll(os.Stdin)":                              "io.ReadAll(main_input.Of(os.Stdin))",
		"var n int\nfmt.Fscan(os.Stdin, &n)":                "fmt.Fscan(main_input.Of(os.Stdin), &n)",
		"b := make([]byte, 9)\nos.Stdin.Read(b)":            "main_input.Of(os.Stdin).Read(b)",
		"%%\nvar n int\nfmt.Scanf(\"%d\", &n)":              "fmt.Fscanf(main_input.Of(main_os.Stdin), \"%d\", &n)",
		"func f() (s string) { fmt.Scan(&s); return }\nf()": "fmt.Fscan(main_input.Of(main_os.Stdin), &s)",
		"c := exec.Command(\"cat\")\nc.Stdin = os.Stdin":    "c.Stdin = os.Stdin",
	} {
		s := newSession()
		s.Input = true
		p := run(t, s, Cell{ID: "a", Number: 1, Source: source})
		if !strings.Contains(p.Source, want) {
			t.Errorf("%q is\n%s\nwant %q", source, p.Source, want)
		}
		must.Equal(t, len(p.Notes) > 0, strings.Contains(source, "exec."), source)
	}
}

// Goroutines that a cell does not wait for end with it, and it says so.
func TestGoroutinesThatAreLeft(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles programs; not with -short")
	}
	tools := newTools(t)
	for name, c := range map[string]struct{ cell, want string }{
		"late": {"go func() { time.Sleep(time.Hour); fmt.Println(\"late\") }()\nfmt.Println(\"now\")",
			"now\ngoroutines that end with the cell, before they are done: 1;"},
		"two": {"func late() { select {} }\nfor range 2 {\n\tgo late()\n}",
			"goroutines that end with the cell, before they are done: 2;"},
		"in GoNB's":       {"%%\ngo func() { select {} }()", "before they are done: 1;"},
		"waited for":      {"done := make(chan int)\ngo func() { done <- 42 }()\n<-done", "42\n"},
		"in a group":      {"var wg sync.WaitGroup\nwg.Go(func() { fmt.Println(1) })\nwg.Wait()", "1\n"},
		"late in a group": {"var wg sync.WaitGroup\nwg.Go(func() { select {} })", "before they are done: 1;"},
		"of its main":     {"func main() { go func() { select {} }(); fmt.Println(1) }", "1\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := must.Get(tools.session(t).Translate(Cell{Number: 1, Source: c.cell}))(t)
			shown, notes := tools.run(t, p.Source)
			shown += notes
			must.Be(t, strings.Contains(shown, c.want) && (shown == c.want || !strings.HasSuffix(c.want, "\n")),
				"%q, want %q", shown, c.want)
		})
	}
}
