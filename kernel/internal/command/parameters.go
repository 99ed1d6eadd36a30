package command

import (
	_ "embed"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/expfam/lab/kernel/internal/ipynb"
)

const (
	// parametersTag marks the cells whose constants and variables -set changes, as other tools for notebooks call it.
	parametersTag = "parameters"
	// setEnv begins the names of environment variables that do what -set does: EXPFAM_SET_draws=100.
	setEnv = "EXPFAM_SET_"
)

// settings are the texts of parameters by name; -set fills them.
type settings map[string]string

func (s settings) String() string { return "" }

// Set takes NAME=VALUE.
func (s settings) Set(text string) error {
	name, value, found := strings.Cut(text, "=")
	if !found || !token.IsIdentifier(name) {
		return errors.New("give NAME=VALUE with the name of a parameter")
	}
	s[name] = value
	return nil
}

// papermillModule is Python's module expfam.papermill of the wheel, which papermill loads by the entry point.
//
//go:embed papermill.py
var papermillModule []byte

const papermillEntry = "[papermill.engine]\nexpfam = expfam.papermill:Engine\n"

// papermill turns a command line as of papermill, IN.ipynb OUT.ipynb -p NAME VALUE, into -out OUT.ipynb -set NAME=VALUE
// IN.ipynb. Of its other options -r is -p, and those that read a file of parameters are refused. A notebook that is the
// value of a parameter is neither IN nor OUT.
func papermill(args []string) ([]string, error) {
	var own []string
	var notebooks []int // places in own
	given, out := false, false
	for ; len(args) > 0; args = args[1:] {
		switch name := args[0]; name {
		case "-p", "--parameters", "-r", "--parameters_raw":
			if len(args) < 3 {
				return nil, fmt.Errorf("run %s needs a name and a value, as in -p draws 100", name)
			}
			given = true
			own = append(own, "-set", args[1]+"="+args[2])
			args = args[2:]
		case "-f", "--parameters_file", "-y", "--parameters_yaml", "-b", "--parameters_base64", "-k", "--kernel":
			return nil, fmt.Errorf("run has no %s of papermill: give each parameter as -p NAME VALUE", name)
		default:
			if strings.HasSuffix(name, ".ipynb") {
				notebooks = append(notebooks, len(own))
			}
			flag, _, _ := strings.Cut(name, "=")
			out = out || flag == "-out" || flag == "--out"
			own = append(own, name)
		}
	}
	if given && !out && len(notebooks) > 1 {
		own = slices.Insert(own, notebooks[1], "-out")
	}
	return own, nil
}

// addEnv adds the parameters that the environment sets and -set does not.
func (s settings) addEnv(environ []string) {
	for _, kv := range environ {
		name, value, _ := strings.Cut(kv, "=")
		if name, is := strings.CutPrefix(name, setEnv); is && name != "" {
			if _, given := s[name]; !given {
				s[name] = value
			}
		}
	}
}

// parameter is a constant or a variable with a value that can be replaced.
type parameter struct {
	name, kind string
	value      string // Go source
	cell       *ipynb.Cell
	from       int // place of the value in the cell's source
}

// apply writes the values into the cells that are tagged as parameters, so that the notebook contains the values with
// which it was run.
func (s settings) apply(nb *ipynb.Notebook) error {
	if len(s) == 0 {
		return nil
	}
	all, err := parametersOf(nb)
	if err != nil {
		return err
	}
	missing := maps.Clone(s)
	for _, p := range slices.Backward(all) { // from the last on, so that the places of earlier values stay right
		text, given := s[p.name]
		if !given {
			continue
		}
		delete(missing, p.name)
		value, err := literal(p.kind, text)
		if err != nil {
			return fmt.Errorf("parameter %s: %w", p.name, err)
		}
		p.cell.Source = p.cell.Source[:p.from] + value + p.cell.Source[p.from+len(p.value):]
	}
	if len(missing) == 0 {
		return nil
	}
	name := slices.Sorted(maps.Keys(missing))[0]
	if len(all) == 0 {
		return fmt.Errorf("parameter %s: the notebook has none; tag a cell %q that declares it, such as const "+
			"draws = 500", name, parametersTag)
	}
	var known []string
	for _, p := range all {
		known = append(known, fmt.Sprintf("%s = %s (%s)", p.name, p.value, p.kind))
	}
	return fmt.Errorf("parameter %s: the notebook has none of this name, but %s", name, strings.Join(known, ", "))
}

// parametersOf returns the numbers, texts and truth values that cells tagged as parameters declare, in their order.
func parametersOf(nb *ipynb.Notebook) ([]parameter, error) {
	var all []parameter
	for i, cell := range nb.Cells {
		if cell.Type != ipynb.Code || !cell.HasTag(parametersTag) {
			continue
		}
		const head = "package p;" // on the first line, so that lines of errors are the cell's
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, "", head+cell.Source, parser.SkipObjectResolution)
		if err != nil {
			return nil, fmt.Errorf("cell %d is tagged %q and must hold Go declarations alone: %w", i+1, parametersTag,
				err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if _, local := n.(*ast.FuncDecl); local {
				return false
			}
			spec, ok := n.(*ast.ValueSpec)
			if !ok {
				return true
			}
			for k, value := range spec.Values {
				from := files.Position(value.Pos()).Offset - len(head)
				to := files.Position(value.End()).Offset - len(head)
				if kind := kindOf(spec.Type, value); kind != "" && k < len(spec.Names) {
					all = append(all, parameter{spec.Names[k].Name, kind, cell.Source[from:to], cell, from})
				}
			}
			return false
		})
	}
	return all, nil
}

// kindOf returns the type of a parameter, by its declaration or else by its value; "" if the value is no parameter.
func kindOf(declared, value ast.Expr) string {
	var kind string
	switch v := value.(type) {
	case *ast.UnaryExpr:
		if v.Op == token.SUB {
			kind = kindOf(nil, v.X)
		}
		if kind != "int" && kind != "float64" {
			return ""
		}
	case *ast.BasicLit:
		kind = map[token.Token]string{token.INT: "int", token.FLOAT: "float64", token.STRING: "string"}[v.Kind]
	case *ast.Ident:
		if v.Name == "true" || v.Name == "false" {
			kind = "bool"
		}
	}
	if kind == "" || declared == nil {
		return kind
	}
	if name, ok := declared.(*ast.Ident); ok {
		if _, err := literal(name.Name, ""); !errors.Is(err, errKind) {
			return name.Name
		}
	}
	return ""
}

var errKind = errors.New("is of a type that can't be set")

// literal returns a text as Go source of a value of a type.
func literal(kind, text string) (string, error) {
	base, bits := strings.TrimRight(kind, "0123456789"), 64
	if size := kind[len(base):]; size != "" {
		bits, _ = strconv.Atoi(size)
	}
	value, err := text, error(nil)
	switch base {
	case "int":
		value = strings.TrimPrefix(text, "+") // otherwise the value would be no literal, which cannot be set again
		_, err = strconv.ParseInt(text, 0, bits)
	case "uint":
		_, err = strconv.ParseUint(text, 0, bits)
	case "float":
		var x float64
		if x, err = strconv.ParseFloat(text, bits); math.IsNaN(x) || math.IsInf(x, 0) {
			err = errKind
		}
		if value = strconv.FormatFloat(x, 'g', -1, bits); !strings.ContainsAny(value, ".e") {
			value += ".0" // otherwise a constant without a type would be an int
		}
	case "bool":
		if text != "true" && text != "false" {
			err = errKind
		}
	case "string":
		value = strconv.Quote(text)
	default:
		return "", errKind
	}
	if err != nil {
		return "", fmt.Errorf("%q is no %s", text, kind)
	}
	return value, nil
}
