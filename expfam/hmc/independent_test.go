package hmc

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"github.com/expfam/lab/internal/must"
)

// The package is an oracle for packages latent and joint, so it takes nothing from them.
func TestOracleIsIndependent(t *testing.T) {
	for _, name := range must.Get(filepath.Glob("*.go"))(t) {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file := must.Get(parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly))(t)
		for _, i := range file.Imports {
			path := strings.Trim(i.Path.Value, `"`)
			must.Be(t, !strings.HasSuffix(path, "expfam/latent") && !strings.HasSuffix(path, "expfam/joint"),
				"%s imports %s", name, path)
		}
	}
}
