package wasm

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
)

// asPackage makes of a program a package of the given name whose function Main is the program's main.
func asPackage(source, name string) (string, error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "cell.go", source, parser.SkipObjectResolution)
	if err != nil {
		return "", fmt.Errorf("wasm: %w", err)
	}
	offset := func(p token.Pos) int { return files.PositionFor(p, false).Offset }
	for _, d := range file.Decls {
		if f, is := d.(*ast.FuncDecl); is && f.Recv == nil && f.Name.Name == "main" {
			at := offset(f.Name.Pos())
			source = source[:at] + "Main" + source[at+len("main"):]
		}
	}
	at := offset(file.Name.Pos())
	return source[:at] + name + source[at+len(file.Name.Name):], nil
}

// dispatcher returns the source of the program that runs the cell whose id is its argument.
func dispatcher(root string, cells []Cell) string {
	var imports, cases strings.Builder
	for i, c := range cells {
		fmt.Fprintf(&imports, "\t%q\n", fmt.Sprintf("%s/c%d", root, i))
		fmt.Fprintf(&cases, "\tcase %q:\n\t\tc%d.Main()\n", c.ID, i)
	}
	return "package main\n\nimport (\n\t\"os\"\n\n" + imports.String() + ")\n\nfunc main() {\n\tswitch os.Args[1] {\n" +
		cases.String() + "\t}\n}\n"
}

// texts returns the string literals of a program.
func texts(source string) (all []string) {
	file, err := parser.ParseFile(token.NewFileSet(), "", source, parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if l, is := n.(*ast.BasicLit); is && l.Kind == token.STRING {
			if s, err := strconv.Unquote(l.Value); err == nil {
				all = append(all, s)
			}
		}
		return true
	})
	return all
}
