package cell

import (
	"fmt"
	"go/ast"
	"go/types"
	"regexp"
	"slices"
	"strings"
)

const (
	vizPath     = "github.com/expfam/lab/viz"
	libraryPath = "github.com/expfam/lab/expfam"
	// progressPath is the package that shows in a cell how far long work of the library has come.
	progressPath = vizPath + "/progress"
)

// speaks imports progressPath into a program that uses the library.
func (p *program) speaks(used map[string]string) {
	for _, path := range used {
		if strings.HasPrefix(path+"/", libraryPath+"/") && !slices.Contains(p.blank, progressPath) {
			p.blank = append(p.blank, progressPath)
			return
		}
	}
}

// speaksOf reports whether a program uses the library or its figures.
func speaksOf(used map[string]string) bool {
	for _, path := range used {
		if path == vizPath || strings.HasPrefix(path+"/", libraryPath+"/") {
			return true
		}
	}
	return false
}

// last returns the expression that ends a cell, with its chunk; nil if the cell ends in anything else.
func (k *checked) last() (*chunk, ast.Expr) {
	var c *chunk
	for _, other := range k.chunks {
		if other.own && other.local {
			c = other
		}
	}
	if c == nil || c.kind != statement || k.legacy {
		return nil, nil
	}
	var found ast.Expr
	ast.Inspect(k.file, func(n ast.Node) bool {
		if s, ok := n.(*ast.ExprStmt); ok && k.offset(s.Pos()) == c.start && k.offset(s.End()) == c.start+len(c.text) {
			found = s.X
		}
		return found == nil
	})
	if found == nil {
		return nil, nil
	}
	return c, found
}

// show edits the last expression so that its value is shown, and adds the imports for that.
func (k *checked) show(c *chunk, e ast.Expr, used map[string]string) {
	results := k.results(e)
	if len(results) == 0 || k.prints(e) {
		return
	}
	call, isCall := ast.Unparen(e).(*ast.CallExpr)
	if c.hidden {
		if !isCall {
			c.edits = append(c.edits, edit{text: "_ = "})
		}
		return
	}
	failing := isError(results[len(results)-1]) && isCall && !k.info.Types[call.Fun].IsType()
	if failing {
		results = results[:len(results)-1]
	}
	figure := len(results) == 1 && (isFigure(results[0]) || isPosterior(results[0]))
	if figure {
		used["main_viz"] = vizPath
	}
	data := len(results) == 1 && !figure && isData(results[0], speaksOf(used))
	if data {
		used["main_viz"] = vizPath
	}
	if k.shows = len(results) > 0 && !figure; k.shows {
		used["main_fmt"], used["main_os"] = "fmt", "os"
	}
	switch {
	case failing:
		k.fails = true
		c.failing(len(results), figure, data)
	case data:
		c.wrap("{ main_v0 := ", "; "+lookedAt+" }")
	case figure:
		c.wrap("main_viz.Show(", ")")
	case c.several:
		n := len(ast.Unparen(e).(*ast.CompositeLit).Elts)
		c.edits = append(c.edits, edit{0, len(severalPrefix), "main_show(\"" + strings.TrimSpace(strings.Repeat("%+v ",
			n)) + "\", "}, edit{len(c.text) - len(severalSuffix), len(severalSuffix), ")"})
	case len(results) == 1 && isHTML(results[0]) && k.s.Result != "":
		c.wrap(fmt.Sprintf("main_os.WriteFile(%q, []byte(", k.s.Result+PageSuffix), "), 0o600)")
	case len(results) == 1 && isFunction(results[0]):
		c.wrap("main_show(\"%T\", ", ")")
	case len(results) == 1 && of(results[0], "math/big"): // %+v has their sign
		c.wrap("main_show(\"%v\", ", ")")
	case len(results) == 1:
		c.wrap("main_show(\"%+v\", ", ")")
	default:
		names, show := shown(len(results))
		c.wrap("{ "+strings.Join(names, ", ")+" := ", "; {"+show+" } }")
	}
}

// results returns the types of the values of an expression; none if it has no value.
func (k *checked) results(e ast.Expr) (results []types.Type) {
	if t, several := k.info.TypeOf(e).(*types.Tuple); several {
		for v := range t.Variables() {
			results = append(results, v.Type())
		}
	} else if value := k.info.Types[e]; value.IsValue() {
		results = append(results, value.Type)
	}
	return results
}

// wrap puts text around the expression.
func (c *chunk) wrap(before, after string) {
	c.edits = append(c.edits, edit{at: 0, text: before}, edit{at: len(c.text), text: after})
}

// failing edits a call that returns values and then an error. An error that is not nil ends the cell, as with Must.
// Otherwise the values are shown without the error.
func (c *chunk) failing(values int, figure, data bool) {
	names, show := shown(values)
	switch {
	case figure:
		show = " main_viz.Show(main_v0)"
	case data:
		show = " " + lookedAt
	}
	c.wrap("{ "+strings.Join(append(names, "main_err"), ", ")+" := ",
		"; if main_err != nil { main_fail(main_err) } else {"+show+" } }")
}

// lookedAt shows main_v0 by a figure if that shows more than its text.
const lookedAt = `if !main_viz.Look(main_v0) { main_show("%+v", main_v0) }`

// shown returns names for some number of values, and the call that shows the values; "" if there are none.
func shown(values int) (names []string, show string) {
	var verbs []string
	for i := range values {
		names, verbs = append(names, fmt.Sprintf("main_v%d", i)), append(verbs, "%+v")
	}
	if values > 0 {
		show = fmt.Sprintf(" main_show(%q, %s)", strings.Join(verbs, " "), strings.Join(names, ", "))
	}
	return names, show
}

// prints reports whether an expression calls a function of fmt that prints or reads, whose results need not be shown.
func (k *checked) prints(e ast.Expr) bool {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok {
		return false
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	f := k.info.Uses[sel.Sel]
	return f != nil && f.Pkg() != nil && f.Pkg().Path() == "fmt" &&
		regexp.MustCompile(`^(Print|Fprint|Scan|Fscan)`).MatchString(f.Name())
}

// PageSuffix ends the name of the file beside [Session.Result] to which a program writes a value of type template.HTML.
const PageSuffix = ".html"

// isHTML reports whether a type is template.HTML, which front ends show as HTML.
func isHTML(t types.Type) bool {
	named, is := types.Unalias(t).(*types.Named)
	return is && of(named, "html/template") && named.Obj().Name() == "HTML"
}

// signature returns the types of a method's parameters and results, as "(int, int) (float64)"; "" if a value of the
// type has no such method. A variable has more methods than a value.
func signature(t types.Type, name string, variable bool) string {
	obj, _, _ := types.LookupFieldOrMethod(t, variable, nil, name)
	f, is := obj.(*types.Func)
	if !is {
		return ""
	}
	list := func(all *types.Tuple) string {
		var of []string
		for v := range all.Variables() {
			of = append(of, types.TypeString(types.Unalias(v.Type()), nil))
		}
		return "(" + strings.Join(of, ", ") + ")"
	}
	return list(f.Signature().Params()) + " " + list(f.Signature().Results())
}

// isFigure reports whether a type is a viz.Figure. It goes by the method Encode, whose parameter has a type that only
// package viz has.
func isFigure(t types.Type) bool {
	return strings.HasPrefix(signature(t, "Encode", false), "("+vizPath+".Format)")
}

// isPosterior reports whether a type is a viz.Posterior, that is, draws that describe themselves. viz.Show makes a
// summary of it.
func isPosterior(t types.Type) bool {
	return signature(t, "Describe", false) == "() (string, string)" && signature(t, "String", false) == "() (string)" &&
		signature(t, "Dims", false) == "() (int, int)" && signature(t, "At", false) == "(int, int) (float64)"
}

// isData reports whether a type is data that viz.Look may show: a field, reduced observations, regions, places,
// neighbours, or, in a program that uses the library, a slice of float64.
func isData(t types.Type, library bool) bool {
	if s, is := t.Underlying().(*types.Slice); is && types.Identical(s.Elem().Underlying(), types.Typ[types.Float64]) {
		return library || isPlace(t)
	}
	has := func(name, of string) bool { return signature(t, name, false) == of }
	return isPlace(t) ||
		has("Z", "(int, int) (float64)") && has("X", "(int) (float64)") && has("Y", "(int) (float64)") ||
		has("Stats", "() ([]float64)") && has("Sizes", "() ([]float64)") && has("Missing", "() ([]bool)")
}

// isPlace reports whether a type is a region or a place, a slice of these, or the neighbours of regions.
func isPlace(t types.Type) bool {
	if s, is := t.Underlying().(*types.Slice); is {
		t = s.Elem()
	}
	has := func(name string) bool { return strings.HasPrefix(signature(t, name, true), "() ") }
	return has("Outline") || has("Position") || has("Outlines") && has("Edges")
}

// shower returns the source of main_show, by which a program shows the value at the end of its cell. main_show writes
// into the file of the path, or to standard output if the path is "".
func shower(path string) string {
	if path == "" {
		return "func main_show(format string, values ...any) { main_fmt.Fprintf(main_os.Stdout, format+\"\\n\", " +
			"values...) }\n\n"
	}
	return fmt.Sprintf("func main_show(format string, values ...any) {\n\tmain_os.WriteFile(%q, "+
		"main_fmt.Appendf(nil, format, values...), 0o600)\n}\n\n", path)
}
