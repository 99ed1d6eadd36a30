package cell

import (
	"go/ast"
	"go/types"
	"strings"
)

// inputPath is the package by which programs ask the person for input.
const inputPath = "github.com/expfam/lab/kernel/input"

// input has a program ask the person where its code reads from standard input: by functions of fmt, by os.Stdin as an
// argument that is an interface, as in bufio.NewReader(os.Stdin), and by GoNB's RequestInput. If nobody can be asked,
// and for os.Stdin as a file, input adds a note instead.
func (k *checked) input(reached map[*chunk]bool, used map[string]string, prog *Program) {
	readers := k.readers()
	for _, c := range k.chunks {
		if c.stored || !reached[c] && !c.own {
			continue
		}
		for _, id := range k.in(c) {
			obj := k.info.Uses[id]
			if obj == nil || obj.Pkg() == nil {
				continue
			}
			name := obj.Pkg().Path() + "." + obj.Name()
			asks := name == "github.com/janpfeifer/gonb/gonbui.RequestInput"
			if _, function := obj.(*types.Func); name != "os.Stdin" && !asks &&
				(!function || !strings.HasPrefix(name, "fmt.Scan")) {
				continue
			}
			n := readers[id]
			if k.s.Input && n != nil {
				if !reached[c] {
					continue
				}
				c.edits = append(c.edits, k.ask(c, n, asks)...)
				if used["main_input"] = inputPath; strings.HasPrefix(name, "fmt.") {
					used["main_os"] = "os"
				}
				continue
			}
			if c.own && !asks {
				why := "write the value into the cell, or read it from a file"
				if k.s.Input {
					why = "read from it by a function, as in bufio.NewReader(os.Stdin)"
				}
				prog.note("input", name+" finds nothing: this cell has no such input; "+why, k.s)
			}
		}
	}
}

// readers returns what the code does with a name that reads from standard input: the call of a function, or the
// expression os.Stdin. It leaves out what cannot be replaced.
func (k *checked) readers() map[*ast.Ident]ast.Node {
	found := map[*ast.Ident]ast.Node{}
	ast.Inspect(k.file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if fun, is := n.Fun.(*ast.SelectorExpr); is {
				found[fun.Sel] = n
				if of, is := fun.X.(*ast.SelectorExpr); is && fun.Sel.Name == "Read" {
					found[of.Sel] = of // os.Stdin.Read
				}
			}
			signature, is := k.info.TypeOf(n.Fun).(*types.Signature)
			for i, arg := range n.Args {
				sel, selects := arg.(*ast.SelectorExpr)
				if !is || !selects || signature.Params().Len() == 0 {
					continue
				}
				param := signature.Params().At(min(i, signature.Params().Len()-1)).Type()
				last := i >= signature.Params().Len()-1
				if slice, many := param.(*types.Slice); many && signature.Variadic() && last {
					param = slice.Elem()
				}
				if types.IsInterface(param) && param.Underlying().(*types.Interface).NumMethods() > 0 {
					found[sel.Sel] = sel
				}
			}
		}
		return true
	})
	return found
}

// ask returns the edits by which a call, or os.Stdin, asks the person.
func (k *checked) ask(c *chunk, n ast.Node, asks bool) []edit {
	at := func(offset int) int { return offset - c.start }
	if call, is := n.(*ast.CallExpr); is && asks { // gonbui.RequestInput(…)
		return []edit{{at(k.offset(call.Fun.Pos())), 0, "main_input.Asks("}, {at(k.offset(call.Fun.End())), 0, ")"}}
	} else if is { // fmt.Scanln(…)
		fun := call.Fun.(*ast.SelectorExpr).Sel
		first := "main_input.Of(main_os.Stdin)"
		if len(call.Args) > 0 {
			first += ", "
		}
		return []edit{{at(k.offset(fun.Pos())), len("S"), "Fs"}, {at(k.offset(call.Lparen)) + 1, 0, first}}
	}
	return []edit{{at(k.offset(n.Pos())), 0, "main_input.Of("}, {at(k.offset(n.End())), 0, ")"}}
}
