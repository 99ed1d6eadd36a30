package cell

import (
	"slices"
	"strings"
	"testing"

	"github.com/expfam/lab/internal/must"
)

func TestSuggest(t *testing.T) {
	s := newSession()
	run(t, s, Cell{Number: 1, Source: "data := strings.Fields(\"a\")\ntype point struct{ Left, Right float64 " +
		"}\nfunc (p *point) Length() float64 { return 0 }\nvar origin point"})
	for _, c := range []struct {
		source string // | is the cursor
		want   string // must be there
		not    string // must not be
		first  bool   // and come first
	}{
		{"fmt.Printl|", "Println", "Print", true},
		{"fmt.printl|", "Println", "", true},
		{"dat|", "data", "", true},
		{"fmt.Println(dat|", "data", "", true},
		{"fmt.Println(dat|)", "data", "", true},
		{"origin.|", "Length", "", false},
		{"origin.|", "Left", "", false},
		{"origin.Le|\nfmt.Println(1)", "Left", "Right", false},
		{"p := point{|", "Left", "main", true},
		{"strings.NewReader(\"a\").|", "Len", "readRune", false},
		{"p := point{Left: 1, Ri|", "Right", "Left", true},
		{"p := point{Ri|: 2}", "Right", "", true},
		{"ps := []*point{{Le|", "Left", "", true},
		{"func f(some int) int {\n\treturn so|\n}", "some", "", true},
		{"if origin.Le|", "Left", "", false},
		{"if x := 1; x > 0 {\n\torigin.Ri|", "Right", "", true},
		{"for _, each := range data {\n\tstrings.ToUp|", "ToUpper", "", true},
		{"for _, each := range data {\n\tfmt.Println(ea|", "each", "", true},
		{"local := 1\nloc|", "local", "", true},
		{"str|", "strings", "", false},
		{"x := le|", "len", "", true},
		{"var p poi|", "point", "", true},
		{"data[0].|", "", "Length", false},
		{"π := 1\nπ|", "π", "", true},
		{"nothing.|", "", "", false},
		{"", "", "", false},
		{"\"fmt.|", "", "Println", false},
	} {
		at := max(strings.IndexByte(c.source, '|'), 0)
		source := strings.Replace(c.source, "|", "", 1)
		found, from := s.Suggest(Cell{Number: 2, Source: source}, at)
		must.Be(t, from <= at, "%q: from %d", c.source, from)
		place := slices.Index(found, c.want)
		if c.want != "" && (place < 0 || c.first && place > 0) || c.not != "" && slices.Contains(found, c.not) {
			t.Errorf("%q: %q, want %q and not %q", c.source, found[:min(len(found), 12)], c.want, c.not)
		}
	}
}

func TestDescribe(t *testing.T) {
	s := newSession()
	run(t, s, Cell{Number: 1, Source: "// twice doubles.\n" +
		"func twice(x int) int { return 2 * x }\ndata := []float64{1}"})
	for _, c := range []struct{ source, text, doc string }{
		{"fmt.Printl|n(1)", "func fmt.Println(a ...any) (n int, err error)", "fmt Println"},
		{"fmt.Println(|", "func fmt.Println(a ...any) (n int, err error)", "fmt Println"},
		{"fmt.Println(1, |2)", "func fmt.Println(a ...any) (n int, err error)", "fmt Println"},
		{"fm|t.Println(1)", "package fmt", "fmt"},
		{"tw|ice(2)", "func twice(x int) int", ""},
		{"data|", "var data []float64", ""},
		{"b := strings.Builder{}\nb.Write|String(\"a\")", "func (*strings.Builder).WriteString(s string) (int, error)",
			"strings Builder.WriteString"},
		{"unknown|", "", ""},
		{"größe := 1\nfmt.Println(gr|öße)", "var größe int", ""},
		{"σ := 1.\nfmt.Println(|σ)", "var σ float64", ""},
	} {
		at := strings.IndexByte(c.source, '|')
		d, ok := s.Describe(Cell{Number: 2, Source: strings.Replace(c.source, "|", "", 1)}, at)
		if d.Text != c.text || strings.Join(d.Doc, " ") != c.doc || ok != (c.text != "") {
			t.Errorf("%q: %+v %v", c.source, d, ok)
		}
	}
}
