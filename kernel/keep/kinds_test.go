package keep

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"github.com/expfam/lab/internal/must"
)

// A cache that has another name in the library now would be kept, or refused.
func TestCaches(t *testing.T) {
	for name := range caches {
		of, ours := strings.CutPrefix(name, model)
		if !ours {
			continue
		}
		folder, rest, _ := strings.Cut(of, ".")
		typeName, field, isField := strings.Cut(rest, ".")
		found := false
		for _, file := range must.Get(filepath.Glob(filepath.Join("../../expfam", folder, "*.go")))(t) {
			ast.Inspect(must.Get(parser.ParseFile(token.NewFileSet(), file, nil, 0))(t), func(n ast.Node) bool {
				if spec, is := n.(*ast.TypeSpec); is && spec.Name.Name == typeName {
					found = found || !isField || hasField(spec.Type, field)
				}
				return true
			})
		}
		must.Be(t, found, "%s is not in the library", name)
	}
}

func hasField(t ast.Expr, field string) bool {
	s, is := t.(*ast.StructType)
	if !is {
		return false
	}
	for _, f := range s.Fields.List {
		for _, name := range f.Names {
			if name.Name == field {
				return true
			}
		}
	}
	return false
}
