package cell

import (
	"go/importer"
	"go/types"
	"strings"
	"testing"

	"github.com/expfam/lab/internal/must"
)

// lab is Go's own library with one package of this one.
type lab struct{ std }

func (l lab) Find(name string, members []string) string {
	if name == "keepers" {
		return "github.com/expfam/lab/expfam/keepers"
	}
	return l.std.Find(name, members)
}

func (l lab) Import(path string) (*types.Package, error) {
	if path != "github.com/expfam/lab/expfam/keepers" {
		return l.std.Import(path)
	}
	pkg := types.NewPackage(path, "keepers")
	number := func() *types.Tuple { return types.NewTuple(types.NewParam(0, pkg, "", types.Typ[types.Int])) }
	two := types.NewTuple(types.NewParam(0, pkg, "a", types.Typ[types.Int]), types.NewParam(0, pkg, "b",
		types.Typ[types.Int]))
	pkg.Scope().Insert(types.NewFunc(0, pkg, "Max", types.NewSignatureType(nil, nil, nil, two, number(), false)))
	pkg.MarkComplete()
	return pkg, nil
}

func (l lab) Names() []string { return append(l.std.Names(), "keepers") }

// A name of the library's package means it where a variable of this name cannot be meant, also in functions that were
// defined before.
func TestReachable(t *testing.T) {
	s := &Session{Packages: lab{std{importer.Default()}}}
	run(t, s, Cell{Number: 1, Source: "func f() int { return keepers.Max(1, 2) }"})
	p := run(t, s, Cell{Number: 2, Source: "keepers := []int{1}"})
	if notes := strings.Join(p.Notes, "|"); !strings.Contains(notes, "keepers is a variable in every cell from now "+
		"on") {
		t.Errorf("notes %q", notes)
	}
	for _, source := range []string{"keepers.Max(3, keepers[0])", "f() + keepers[0]", "x := keepers.Max(1, 2)\nx"} {
		p := run(t, s, Cell{Number: 3, Source: source})
		if !strings.Contains(p.Source, behindName+"keepers.Max(") ||
			!strings.Contains(p.Source, behindName+"keepers \"github.com/expfam/lab/expfam/keepers\"") {
			t.Errorf("%s:\n%s", source, p.Source)
		}
	}
	_, err := s.Translate(Cell{Number: 4, Source: "keepers.None()"})
	must.Err(t, err, "keepers.None undefined")
}
