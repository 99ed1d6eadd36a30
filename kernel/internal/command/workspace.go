package command

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/expfam/lab/internal/safefile"
	"github.com/expfam/lab/kernel/internal/front"
)

// workspaceKey returns a key that changes whenever the build cache has to be warmed again: with the checkout, its
// dependencies, the compiler, the place of the caches and the flags of the cells.
func workspaceKey(co checkout, env goEnv) string {
	h := sha256.New()
	for _, name := range []string{"go.mod", "go.sum"} {
		data, _ := os.ReadFile(filepath.Join(co.dir, name))
		h.Write(data)
	}
	fmt.Fprintf(h, "%s\n%+v\n%s\n", co.dir, env, cellFlags())
	return hex.EncodeToString(h.Sum(nil))
}

// warm builds a cell that imports every package of the library but the large ones, as GoNB would build it, so that no
// later cell has to compile or download these packages. Then it builds the cell again without the network, as cells are
// built, to be sure that this works. It returns the number of packages.
func warm(ctx context.Context, co checkout) (int, error) {
	packages, err := libraryPackages(ctx, co)
	if err != nil {
		return 0, err
	}
	dir, remove, err := safefile.Folder("", "expfam-cell-")
	if err != nil {
		return 0, err
	}
	defer remove()
	var cell strings.Builder
	cell.WriteString("package main\n\nimport (\n\t\"fmt\"\n")
	for _, p := range packages {
		fmt.Fprintf(&cell, "\t_ %q\n", p)
	}
	cell.WriteString(")\n\nfunc main() { fmt.Println() }\n")
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(cell.String()), 0o644); err != nil {
		return 0, err
	}
	online := []string{"GOWORK=", "GOFLAGS=" + cellFlags()}
	offline := append(online, "GOPROXY=off")
	for _, step := range []struct {
		env  []string
		args []string
	}{
		{online, []string{"mod", "init", "gonb_warm"}},
		{online, []string{"work", "init"}},
		{online, []string{"work", "use", co.dir, "."}},
		{online, []string{"mod", "edit", "-replace", modulePath + "=" + co.dir}},
		{online, []string{"get"}},
		{online, []string{"build", "-o", "cell"}},
		{offline, []string{"get"}},
		{offline, []string{"build", "-o", "cell"}},
	} {
		if err := execute(co.command(ctx, dir, step.env, step.args...)); err != nil {
			return 0, err
		}
	}
	return len(packages), nil
}

// libraryPackages returns the packages of the checkout that a cell can import, without the large ones.
func libraryPackages(ctx context.Context, co checkout) ([]string, error) {
	list, err := co.command(ctx, "", nil, "list", "-f",
		`{{if and .GoFiles (ne .Name "main")}}{{.ImportPath}}{{end}}`, "./...").Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", explained(err))
	}
	var packages []string
	for _, p := range strings.Fields(string(list)) {
		if !strings.Contains(p+"/", "/internal/") && !slices.Contains(front.Large, p) {
			packages = append(packages, p)
		}
	}
	return packages, nil
}
