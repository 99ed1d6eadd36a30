package cell

import (
	"fmt"
	"go/importer"
	"go/types"
	"strings"
	"testing"
)

// std is Go's own library.
type std struct{ types.Importer }

func (std) Find(name string, members []string) string {
	paths := map[string]string{"fmt": "fmt", "strings": "strings", "math": "math", "sort": "sort", "os": "os", "rand": "math/rand/v2"}
	return paths[name]
}

func TestX(t *testing.T) {
	s := &Session{Packages: std{importer.Default()}}
	for i, src := range []string{
		"x := 3",
		"x + 1",
		"func f(a float64) float64 { return a * float64(x) }\ny := f(2)\ny",
		"n := 0\nfor i := 0; i < 3; i++ {\n\tn += i\n}\nn",
		"n",
		"if z := 3; z > 2 { fmt.Println(z) }",
		"type T struct{ a int }\nfunc (t T) Get() int { return t.a }\nT{3}.Get()",
		"t := T{4}\nt.Gt()",
		"x := 5",
		"y",
		"%%\nx := 7\nfmt.Println(x, y)",
		"for _, q := range []int{1} { var u int }\nstrings.Repeat(\"x\", 3)",
		"x = 8",
		"a, err := fmt.Sscan(\"x\")\nb, err := fmt.Sscan(\"x\")",
		"err",
		"data := []float64{3, 1}\nsort.Float64s(data)",
		"data",
		"fmt.Printl(1)",
		"func (",
	} {
		p, err := s.Translate(Cell{Number: i + 1, Source: src})
		fmt.Printf("------ %d\n%s\n=>\n", i+1, src)
		if err != nil {
			fmt.Println("ERR", err)
			continue
		}
		fmt.Println(p.Notes, p.Defines())
		fmt.Println(strings.TrimSpace(p.Source))
		s.Commit(p)
	}
}
