package front

import (
	"go/importer"
	"go/types"
	"testing"

	"github.com/expfam/lab/internal/must"
	"github.com/expfam/lab/kernel/internal/cell"
)

// bare knows the packages of the standard library by their paths alone.
type bare struct{ types.Importer }

func (bare) Find(string, []string) string { return "" }
func (bare) Names() []string              { return nil }

// %rm says which names it removed and which it does not know.
func TestForget(t *testing.T) {
	s := &cell.Session{Packages: bare{importer.Default()}}
	for n, text := range []string{"x := 1\ntype t int\nfunc (t) f() {}", "x := 2"} {
		p := must.Get(s.Translate(cell.Cell{Number: n + 1, Source: text}))(t)
		s.Commit(p)
	}
	for _, c := range []struct {
		names []string
		want  string
	}{
		{nil, "%rm needs the names to remove; %ls lists them\n"},
		{[]string{"y"}, "not defined: y; %ls lists what is\n"},
		{[]string{"x", "t~f", "y"}, "removed: t.f, x\nnot defined: y; %ls lists what is\n"},
		{[]string{"x"}, "not defined: x; %ls lists what is\n"},
	} {
		must.Equal(t, forget(s, c.names), c.want, c.names)
	}
}
