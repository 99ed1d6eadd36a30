package cell

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"testing"

	"github.com/expfam/lab/internal/must"
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

type field struct{}
func (field) Dims() (c, r int)   { return }
func (field) X(int) float64      { return 0 }
func (field) Y(int) float64      { return 0 }
func (field) Z(_, _ int) float64 { return 0 }

type observations []int
func (observations) Stats() []float64 { return nil }
func (observations) Sizes() []float64 { return nil }
func (observations) Missing() []bool  { return nil }

type half []int
func (half) Stats() []float64 { return nil }

type column []float64
type number float64
`
	files := token.NewFileSet()
	file := must.Get(parser.ParseFile(files, "p.go", source, 0))(t)
	pkg := must.Get((&types.Config{Importer: importer.Default()}).Check("p", files, []*ast.File{file}, nil))(t)
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
		must.Equal(t, isPosterior(c.of), c.want, name)
	}
	// What viz.Look may show: whatever the program uses, and in one that uses the library.
	numbers := types.NewSlice(types.Typ[types.Float64])
	for name, c := range map[string]struct {
		of          types.Type
		always, too bool
	}{
		"a field":           {named("field"), true, true},
		"a pointer to one":  {types.NewPointer(named("field")), true, true},
		"observations":      {named("observations"), true, true},
		"a half of them":    {named("half"), false, false},
		"a matrix":          {named("matrix"), false, false},
		"numbers":           {numbers, false, true},
		"a column":          {named("column"), false, true},
		"numbers of a type": {types.NewSlice(named("number")), false, true},
		"rows":              {types.NewSlice(numbers), false, false},
		"whole numbers":     {types.NewSlice(types.Typ[types.Int]), false, false},
		"an array":          {types.NewArray(types.Typ[types.Float64], 30), false, false},
		"one number":        {types.Typ[types.Float64], false, false},
		"untyped nil":       {types.Typ[types.UntypedNil], false, false},
	} {
		if always, too := isData(c.of, false), isData(c.of, true); always != c.always || too != c.too {
			t.Errorf("%s: %v without the library, %v with it", name, always, too)
		}
	}
}
