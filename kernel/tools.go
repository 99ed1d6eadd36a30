package main

import (
	"context"
	"debug/buildinfo"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// tool is a program that go.mod pins with a tool directive.
type tool struct {
	name, pkg, module string
	patches           []patch // of its source
}

var tools = []tool{
	{"gonb", "github.com/janpfeifer/gonb", "github.com/janpfeifer/gonb", gonbPatches},
	{"goimports", "golang.org/x/tools/cmd/goimports", "golang.org/x/tools", nil},
}

// goplsTool gives completion and documentation in notebooks. It isn't in go.mod, because it builds with another x/tools
// than goimports, and its pin is the last release that this module's Go can build.
var goplsTool = tool{"gopls", "golang.org/x/tools/gopls", "golang.org/x/tools/gopls", nil}

const goplsVersion = "v0.23.0"

// built is the version of the tool that was built into dir; "" if there is none, or not of that package with its patches. What
// `gonb -V` prints is no use here: it lags behind the module's version.
func (t tool) built(dir string) string {
	info, err := buildinfo.ReadFile(filepath.Join(dir, t.name))
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

// build compiles the tool at the version that the checkout's go.mod pins and puts it into dir.
func (t tool) build(ctx context.Context, co checkout, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp(dir, ".build")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	bin := filepath.Join(tmp, t.name)
	args := []string{"build", "-buildvcs=false", compileFlags, "-ldflags=-s -w", "-o", bin}
	if len(t.patches) > 0 {
		mod, err := co.patched(ctx, tmp, t.module, t.patches)
		if err != nil {
			return err
		}
		args = append(args, "-modfile="+mod, "-tags="+patchTag(t.patches))
	}
	if _, err := output(co.command(ctx, "", nil, "go", append(args, t.pkg)...)); err != nil {
		return err
	}
	// A rename, because a kernel that runs now may be executing the old file.
	if err := os.Rename(bin, filepath.Join(dir, t.name)); err != nil {
		return err
	}
	if got, want := t.built(dir), co.version(t.module); got != want {
		return fmt.Errorf("built version %q, but go.mod says %q", got, want)
	}
	return nil
}

// gopls installs gopls beside the tools, where the kernelspec's PATH finds it. Its lack is no error.
func (in *installer) gopls(ctx context.Context) error {
	return in.step("gopls", goplsTool.built(in.bin()) == goplsVersion, func() (string, error) {
		err := goplsTool.install(ctx, in.co, in.bin(), goplsVersion)
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		if err != nil {
			first, _, _ := strings.Cut(err.Error(), "\n")
			return fmt.Sprintf("not in place, so there is no completion (%s)", first), nil
		}
		return "built " + goplsVersion, nil
	})
}

// install compiles the tool at a version that the checkout's go.mod has no part in, and puts it into dir.
func (t tool) install(ctx context.Context, co checkout, dir, version string) error {
	if os.Getenv(noInstallEnv) != "" {
		return fmt.Errorf("%s forbids fetching it", noInstallEnv)
	}
	tmp, err := os.MkdirTemp(dir, ".build")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	cmd := co.command(ctx, tmp, []string{"GOBIN=" + tmp}, "go", "install", "-trimpath", "-ldflags=-s -w", t.pkg+"@"+version)
	if _, err := output(cmd); err != nil {
		return err
	}
	return os.Rename(filepath.Join(tmp, t.name), filepath.Join(dir, t.name))
}
