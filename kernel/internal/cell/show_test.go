package cell

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"testing"
)

// What viz.Show makes a summary of, by its methods.
func TestIsPosterior(t *testing.T) {
	const source = `package p

type posterior struct{}
func (*posterior) Dims() (draws, cells int)     { return }
func (*posterior) At(i, j int) (v float64)      { return }
func (*posterior) String() (s string)           { return }
func (*posterior) Describe() (what, how string) { return }

type matrix struct{}
func (matrix) Dims() (r, c int)     { return }
func (matrix) At(i, j int) float64  { return 0 }
func (matrix) String() string       { return "" }

type other struct{ matrix }
func (other) Describe() string { return "" }

type wider struct{ *posterior }
`
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "p.go", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	pkg, err := (&types.Config{Importer: importer.Default()}).Check("p", files, []*ast.File{file}, nil)
	if err != nil {
		t.Fatal(err)
	}
	named := func(name string) types.Type { return pkg.Scope().Lookup(name).Type() }
	for name, c := range map[string]struct {
		of   types.Type
		want bool
	}{
		"a pointer":       {types.NewPointer(named("posterior")), true},
		"embedded":        {named("wider"), true},
		"a matrix":        {named("matrix"), false},
		"other Describe":  {named("other"), false},
		"a basic type":    {types.Typ[types.Int], false},
		"not addressable": {named("posterior"), false},
	} {
		if got := isPosterior(c.of); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
