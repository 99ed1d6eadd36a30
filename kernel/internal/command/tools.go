package command

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"fmt"
	"os"
	"path/filepath"

	"github.com/expfam/lab/internal/safefile"
)

// tool is a program that go.mod pins with a tool directive.
type tool struct {
	name, pkg, module string
	patches           []patch // changes of its source
}

var tools = []tool{
	{"gonb", "github.com/janpfeifer/gonb", "github.com/janpfeifer/gonb", gonbPatches},
	{"goimports", "golang.org/x/tools/cmd/goimports", "golang.org/x/tools", nil},
}

// file returns the name of the tool's file.
func (t tool) file() string { return executable(t.name) }

// built returns the version of the tool in dir; "" if there is none, or none of that package with its patches. What
// `gonb -V` prints is no use here: it lags behind the module's version.
func (t tool) built(dir string) string {
	info, err := buildinfo.ReadFile(filepath.Join(dir, t.file()))
	if err != nil || info.Path != t.pkg {
		return ""
	}
	tags := ""
	for _, s := range info.Settings {
		if s.Key == "-tags" {
			tags = s.Value
		}
	}
	if info.Main.Path != t.module || tags != patchTag(t.patches) {
		return ""
	}
	return info.Main.Version
}

// build compiles the tool at the version that the checkout's go.mod pins, with additions to the environment, and puts
// it into dir.
func (t tool) build(ctx context.Context, co checkout, dir string, env ...string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	tmp, remove, err := safefile.Folder(dir, ".build")
	if err != nil {
		return err
	}
	defer remove()
	bin := filepath.Join(tmp, t.file())
	args := []string{"build", "-buildvcs=false", compileFlags, "-ldflags=-s -w", "-o", bin}
	if len(t.patches) > 0 {
		mod, err := co.patched(ctx, tmp, t.module, t.patches)
		if err != nil {
			return err
		}
		args = append(args, "-modfile="+mod, "-tags="+patchTag(t.patches))
	}
	if err := execute(co.command(ctx, "", env, append(args, t.pkg)...)); err != nil {
		return err
	}
	// A rename, because a kernel that runs now may be executing the old file.
	if err := os.Rename(bin, filepath.Join(dir, t.file())); err != nil {
		return err
	}
	if got, want := t.built(dir), co.version(t.module); got != want {
		return fmt.Errorf("built version %q, but go.mod says %q", got, want)
	}
	return nil
}

// programCurrent reports whether the copy of this program that Jupyter starts is the same as this program.
func (in *installer) programCurrent() bool {
	own, err := ownProgram()
	if err != nil {
		return false
	}
	copied, err := os.ReadFile(filepath.Join(in.bin(), kernelProgram))
	return err == nil && bytes.Equal(own, copied)
}

func (in *installer) copyProgram() error {
	own, err := ownProgram()
	if err != nil {
		return err
	}
	temporary := filepath.Join(in.bin(), "."+kernelProgram)
	if err := os.WriteFile(temporary, own, 0o755); err != nil {
		return err
	}
	// a kernel that runs now goes on with the old one
	return os.Rename(temporary, filepath.Join(in.bin(), kernelProgram))
}

func ownProgram() ([]byte, error) {
	path, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}
