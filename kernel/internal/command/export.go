package command

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/expfam/lab/internal/safefile"
	"github.com/expfam/lab/kernel/internal/front"
	"github.com/expfam/lab/kernel/internal/ipynb"
)

// Tags of the cells that export writes.
const (
	exportTag  = "export"  // declarations, which become the package
	exampleTag = "example" // statements, which become an example of it with the output that the notebook has
)

var notName = regexp.MustCompile(`[^a-z0-9]+`)

// export executes the verb export: it writes marked cells of a notebook as a package.
func export(ctx context.Context, args []string) error {
	flags := newFlags("export")
	out := flags.String("out", "", "the folder of the package; the notebook's name by default")
	name := flags.String("package", "", "the package's name; that of the folder by default")
	paths, err := parseMixed(flags, args)
	if err != nil {
		return err
	}
	if len(paths) != 1 {
		return errors.New("export takes one notebook: " + call("export NOTEBOOK"))
	}
	nb, err := readGo(paths[0])
	if err != nil {
		return err
	}
	if *out == "" {
		*out = strings.TrimSuffix(paths[0], filepath.Ext(paths[0]))
	}
	if *name == "" {
		absolute, err := filepath.Abs(*out)
		if err != nil {
			return err
		}
		*name = strings.TrimLeft(notName.ReplaceAllString(strings.ToLower(filepath.Base(absolute)), ""), "0123456789")
	}
	if !token.IsIdentifier(*name) {
		return fmt.Errorf("export: %q is no name of a package: give -package", *name)
	}
	code, tests, err := exported(nb, *name, filepath.Base(paths[0]))
	if err != nil {
		return fmt.Errorf("%s: %w", paths[0], err)
	}
	in, err := newInstaller(ctx, os.Stdout)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(*out, 0o755); err != nil {
		return err
	}
	if err := in.module(*out, *name); err != nil {
		return err
	}
	for _, f := range []struct{ name, text string }{{*name + ".go", code}, {*name + "_test.go", tests}} {
		if f.text == "" {
			continue
		}
		path := filepath.Join(*out, f.name)
		if err := in.format(ctx, path, f.text); err != nil {
			return err
		}
		fmt.Println(path)
	}
	return nil
}

// exported returns the package and its examples as Go source, without their imports.
func exported(nb *ipynb.Notebook, name, from string) (code, tests string, err error) {
	var declarations, examples strings.Builder
	imports := ""
	for i, cell := range nb.Cells {
		if cell.Type != ipynb.Code {
			continue
		}
		switch {
		case cell.HasTag(exportTag):
			used, rest, err := splitImports(cell.Source)
			if err != nil {
				return "", "", fmt.Errorf("cell %d is tagged %q and must hold Go declarations alone: %w", i+1,
					exportTag, err)
			}
			for _, line := range used { // cells may import the same package
				if !strings.Contains(imports, line) {
					imports += line
				}
			}
			declarations.WriteString("\n" + rest + "\n")
		case cell.HasTag(exampleTag):
			body := strings.TrimSpace(strings.TrimPrefix(cell.Source, "%%")) // a text in ` ` keeps its lines
			text := fmt.Sprintf("\nfunc Example_cell%d() {\n%s\n\n%s}\n", i+1, body, printed(cell))
			_, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+text, parser.SkipObjectResolution)
			if err != nil {
				return "", "", fmt.Errorf("cell %d is tagged %q and must hold Go statements: %w", i+1, exampleTag, err)
			}
			examples.WriteString(text)
		}
	}
	if declarations.Len() == 0 {
		return "", "", fmt.Errorf("no cell is tagged %q; tag those with the declarations to export, and with %q those "+
			"that show their use", exportTag, exampleTag)
	}
	head := "// Package " + name + " is of the cells tagged " + exportTag + " of " + from + ".\npackage " + name + "\n"
	code = head + imports + declarations.String()
	if examples.Len() > 0 {
		tests = "package " + name + "\n" + imports + examples.String()
	}
	return code, tests, nil
}

// splitImports returns the imports of a cell's declarations, one a line, and the others with the comments above both.
func splitImports(source string) (imports []string, rest string, err error) {
	const head = "package p;" // on the first line, so that lines of errors are the cell's
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "", head+source, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil {
		return nil, "", err
	}
	text, begin, end := head+source, len(head), len(head)
	for _, d := range file.Decls {
		if g, is := d.(*ast.GenDecl); is && g.Tok == token.IMPORT {
			if len(imports) == 0 {
				begin = files.Position(g.Pos()).Offset
			}
			end = files.Position(g.End()).Offset
			for _, s := range g.Specs {
				from, to := files.Position(s.Pos()).Offset, files.Position(s.End()).Offset
				imports = append(imports, "\nimport "+text[from:to]+"\n")
			}
		}
	}
	return imports, strings.TrimSpace(text[len(head):begin] + "\n\n" + text[end:]), nil
}

// notComment matches what the comment of an example cannot hold: Go takes blanks at the ends of lines and \r out of it,
// and makes one empty line of several.
var notComment = regexp.MustCompile(`\r|[ \t]\n|\n\n\n`)

// printed returns what a cell printed as the comment that go test compares an example with; "" if it printed nothing.
func printed(cell *ipynb.Cell) string {
	var text strings.Builder
	for _, out := range cell.Outputs {
		if out.Type == ipynb.Stream && out.Name == "stdout" {
			text.WriteString(out.Text)
		}
	}
	lines := strings.TrimSpace(front.Remark.ReplaceAllString(text.String(), ""))
	switch {
	case lines == "":
		return ""
	case notComment.MatchString(lines):
		return "// It prints blanks at the end of a line, empty lines in a row or \\r, which go test cannot compare.\n"
	}
	return "// Output:\n// " + strings.ReplaceAll(lines, "\n", "\n// ") + "\n"
}

// module writes a go.mod that requires the library, unless the folder is in a module already.
func (in *installer) module(dir, name string) error {
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	for at := absolute; ; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, "go.mod")); err == nil {
			return nil
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	text := fmt.Sprintf("module %s\n\ngo %s\n\nrequire %s v0.0.0\n\nreplace %s => %s\n", name, in.co.mod.Go.Version,
		modulePath, modulePath, in.co.dir)
	return safefile.WriteFile(filepath.Join(dir, "go.mod"), []byte(text))
}

// format writes a file of Go with the imports that it needs, by the goimports that go.mod pins.
func (in *installer) format(ctx context.Context, path, text string) error {
	program := filepath.Join(in.bin(), executable("goimports"))
	cmd := in.co.command(ctx, "", nil, "tool", "goimports", "-srcdir", filepath.Dir(path))
	if _, err := os.Stat(program); err == nil {
		cmd = in.co.command(ctx, "", nil)
		cmd.Path, cmd.Args = program, []string{program, "-srcdir", filepath.Dir(path)}
	}
	absolute, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return err
	}
	cmd.Args[len(cmd.Args)-1] = absolute
	var said strings.Builder
	cmd.Stdin, cmd.Stderr = strings.NewReader(text), &said
	formatted, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("goimports: %w: %s", err, strings.TrimSpace(said.String()))
	}
	return safefile.WriteFile(path, formatted)
}
