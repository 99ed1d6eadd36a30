package command

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"
)

const modulePath = "github.com/expfam/lab"

// checkout is the copy of this module's source that notebooks use: a clone, or a version in Go's module cache.
type checkout struct {
	dir string
	mod *modfile.File
}

// cached reports whether the copy is of a wheel or in Go's module cache, where nobody works on it and nothing can be
// written.
func (c checkout) cached() bool { return packed != "" || strings.Contains(filepath.Base(c.dir), "@") }

// findCheckout looks for the checkout upwards from the working directory, then from where this program's source was
// when the program was built, then in the module cache, into which Go downloads it if it is gone from there.
func findCheckout() (checkout, error) {
	starts := []func() string{
		func() string { dir, _ := os.Getwd(); return dir },
		func() string { _, file, _, _ := runtime.Caller(0); return filepath.Dir(file) },
		downloaded,
	}
	for _, start := range starts {
		for dir := start(); filepath.IsAbs(dir); dir = filepath.Dir(dir) {
			data, err := os.ReadFile(filepath.Join(dir, "go.mod"))
			if err == nil && modfile.ModulePath(data) == modulePath {
				return checkoutAt(dir)
			}
			if dir == filepath.Dir(dir) {
				break
			}
		}
	}
	return checkout{}, errors.New("no checkout of " + modulePath + " here: change into a clone and run this again")
}

// checkoutAt reads the go.mod of a copy.
func checkoutAt(dir string) (checkout, error) {
	path := filepath.Join(dir, "go.mod")
	data, err := os.ReadFile(path)
	if err != nil {
		return checkout{}, err
	}
	mod, err := modfile.Parse(path, data, nil)
	if err != nil {
		return checkout{}, err
	}
	if strings.Contains(dir, ",") {
		return checkout{}, fmt.Errorf("the checkout's path %q has a comma, which GoNB can't take: move it", dir)
	}
	return checkout{dir: dir, mod: mod}, nil
}

// downloaded returns the folder in Go's module cache of the version that this program is of; "" if it has none.
func downloaded() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Path != modulePath || !semver.IsValid(info.Main.Version) {
		return ""
	}
	cmd := exec.Command("go", "mod", "download", "-json", modulePath+"@"+info.Main.Version)
	cmd.Dir, cmd.Env = os.TempDir(), append(os.Environ(), "GOWORK=off")
	out, err := cmd.Output()
	var module struct{ Dir string }
	if err != nil || json.Unmarshal(out, &module) != nil {
		return ""
	}
	return module.Dir
}

// version returns the module's version in go.mod; "" if the module isn't there.
func (c checkout) version(module string) string {
	for _, r := range c.mod.Require {
		if r.Mod.Path == module {
			return r.Mod.Version
		}
	}
	return ""
}

// command returns a go command that runs in dir or, if dir is "", in the checkout, with additions to the environment.
// Workspaces around the checkout don't count: the versions are those of its own go.mod.
func (c checkout) command(ctx context.Context, dir string, env []string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = cmp.Or(dir, c.dir)
	cmd.Env = append(append(os.Environ(), "GOWORK=off"), env...)
	return cmd
}

// goEnv holds what the go command says about itself.
type goEnv struct {
	GOVERSION, GOROOT, GOPATH, GOCACHE, GOMODCACHE string
}

func (c checkout) goEnv(ctx context.Context) (goEnv, error) {
	var e goEnv
	out, err := c.command(ctx, "", nil,
		"env", "-json", "GOVERSION", "GOROOT", "GOPATH", "GOCACHE", "GOMODCACHE").Output()
	if errors.Is(err, exec.ErrNotFound) {
		return e, fmt.Errorf("go env: %w: install Go %s or later and put it on PATH", err, c.mod.Go.Version)
	}
	if err != nil {
		return e, fmt.Errorf("go env: %w", explained(err))
	}
	return e, json.Unmarshal(out, &e)
}

// explained adds to the error of a command's Output the last line that the command printed.
func explained(err error) error {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return err
	}
	lines := strings.Split(strings.TrimSpace(string(exit.Stderr)), "\n")
	return fmt.Errorf("%w: %s", err, lines[len(lines)-1])
}

// execute runs the command. An error carries the last lines that it printed.
func execute(cmd *exec.Cmd) error {
	out, err := cmd.CombinedOutput()
	if err != nil {
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		lines = lines[max(0, len(lines)-12):]
		return fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, strings.Join(lines, "\n"))
	}
	return nil
}
