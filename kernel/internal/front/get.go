package front

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/expfam/lab/internal/safefile"
	"github.com/expfam/lab/kernel/internal/ipynb"
)

// The files beside a notebook that say which modules its cells have by %get, and with which sums.
const (
	modFile = "cells.mod"
	sumFile = "cells.sum"
)

// unreachable finds what the go command says without a network.
var unreachable = regexp.MustCompile(`dial tcp|no such host|connection refused|i/o timeout|module lookup disabled|` +
	`network is unreachable|proxyconnect|TLS handshake timeout`)

// get adds modules to the one in which cells are compiled. It is the only command for which the kernel asks the
// network.
func (x *execution) get(ctx context.Context, modules []string) error {
	if len(modules) == 0 || slices.ContainsFunc(modules, func(m string) bool { return strings.HasPrefix(m, "-") }) {
		return errors.New("%get needs a module, and takes its version: %get github.com/google/uuid@v1.6.0")
	}
	x.doing("fetching")
	ctx, stop := x.untilInterrupted(ctx)
	defer stop()
	cmd := exec.CommandContext(ctx, "go", append([]string{"get"}, modules...)...)
	cmd.Dir = x.gonb.work
	cmd.Env = append(slices.DeleteFunc(os.Environ(), func(e string) bool { return strings.HasPrefix(e, "GOPROXY=") }),
		"GOFLAGS=-mod=mod")
	out, err := cmd.CombinedOutput()
	text := strings.TrimSpace(string(out))
	lines := strings.Split(text, "\n")
	switch {
	case err != nil && ctx.Err() != nil:
		return errors.New("%get was interrupted: nothing was added")
	case err != nil && unreachable.MatchString(text):
		return fmt.Errorf("%%get %s: there is no network here, or it does not reach the modules (%s): connect, or "+
			"put the module into Go's module cache by `go mod download` where there is one", strings.Join(modules, " "),
			strings.TrimPrefix(lines[len(lines)-1], "go: "))
	case err != nil:
		return fmt.Errorf("%%get %s: %s", strings.Join(modules, " "), strings.TrimPrefix(lines[len(lines)-1], "go: "))
	}
	for _, line := range lines {
		if added, is := strings.CutPrefix(line, "go: added "); is {
			x.print(added + " is there\n")
		}
	}
	return x.gonb.remember()
}

// remember writes which modules cells have, beside the notebook, for the next kernel.
func (b *backend) remember() error {
	data, err := os.ReadFile(filepath.Join(b.work, "go.mod"))
	if err != nil {
		return err
	}
	mod, err := modfile.Parse("go.mod", data, nil)
	if err != nil {
		return err
	}
	var text strings.Builder
	text.WriteString("// The modules that the notebooks of this folder have by %get.\nmodule cells\n\n")
	for _, r := range mod.Require {
		if !strings.HasPrefix(r.Mod.Path+"/", libraryPath) {
			fmt.Fprintf(&text, "require %s %s\n", r.Mod.Path, r.Mod.Version)
		}
	}
	sums, err := os.ReadFile(filepath.Join(b.work, "go.sum"))
	if err != nil {
		return err
	}
	if err := ipynb.WriteFile(modFile, []byte(text.String())); err != nil {
		return err
	}
	return ipynb.WriteFile(sumFile, sums)
}

// restore gives cells the modules that an earlier kernel has noted beside the notebook.
func (b *backend) restore() error {
	data, err := safefile.Read(modFile, 1<<20)
	if err != nil {
		return nil // there are none
	}
	noted, err := modfile.Parse(modFile, data, nil)
	if err != nil {
		return err
	}
	path := filepath.Join(b.work, "go.mod")
	if data, err = os.ReadFile(path); err != nil {
		return err
	}
	mod, err := modfile.Parse("go.mod", data, nil)
	if err != nil {
		return err
	}
	for _, r := range noted.Require {
		if err := mod.AddRequire(r.Mod.Path, r.Mod.Version); err != nil {
			return err
		}
	}
	if data, err = mod.Format(); err != nil {
		return err
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		return err
	}
	sums, err := safefile.Read(sumFile, 16<<20)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(b.work, "go.sum"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.Write(sums)
	return err
}
