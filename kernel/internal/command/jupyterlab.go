package command

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/expfam/lab/internal/safefile"
	"github.com/expfam/lab/kernel/internal/ipynb"
)

const (
	jupyterEnv = "EXPFAM_JUPYTER" // a jupyter-lab elsewhere
	labMajor   = "4."
	labVersion = "4.6.6"
	labInstall = "install JupyterLab 4, as `pip install jupyterlab` does or, from Debian 13 on, `apt-get install " +
		"jupyterlab`"
	labStamp = "expfam.complete" // in the private environment, written last: what it was made of
)

// labPackages are the packages of the private environment for Python 3.10 and later on every system, each with the
// hashes of its files, as pip takes them. uv, which `pip install uv` brings, lists those that were there at a date:
//
//go:generate sh -c "echo jupyterlab==4.6.6 | uv pip compile - --upgrade --universal --python-version 3.10 --generate-hashes --exclude-newer 2026-11-15T00:00:00Z --no-header --no-annotate --no-emit-index-url -q -o jupyterlab.txt"
//go:embed jupyterlab.txt
var labPackages []byte

// debianLab is where Debian's and Ubuntu's package puts the program; they have no `jupyter`.
var debianLab = "/usr/bin/jupyter-lab"

// jupyterLab is a command that starts JupyterLab 4.
type jupyterLab struct {
	argv    []string
	version string
}

var errNoLab = errors.New("JupyterLab 4 is not on this machine")

// findLab finds JupyterLab: the explicit one, which then has to work, or the first that works of those on PATH, in the
// private environment and in Debian's place.
func findLab(ctx context.Context, explicit string) (jupyterLab, error) {
	if explicit != "" {
		path, err := exec.LookPath(explicit)
		if err == nil {
			path, err = filepath.Abs(path) // the server runs in another folder
		}
		var jl jupyterLab
		if err == nil {
			jl, err = askLab(ctx, path)
		}
		if err != nil {
			err = fmt.Errorf("%s: %w: name a jupyter-lab with -jupyter or %s", explicit, err, jupyterEnv)
		}
		return jl, err
	}
	var candidates [][]string
	if e, ofPip, err := here(); ofPip && err == nil {
		candidates = append(candidates, []string{filepath.Join(e.prefix, "bin", "jupyter-lab")})
	}
	if path, err := exec.LookPath("jupyter-lab"); err == nil {
		candidates = append(candidates, []string{path})
	}
	if path, err := exec.LookPath("jupyter"); err == nil {
		candidates = append(candidates, []string{path, "lab"})
	}
	if dir, err := labDir(); err == nil && labComplete(dir) {
		candidates = append(candidates, []string{filepath.Join(dir, "bin", "jupyter-lab")})
	}
	for _, argv := range append(candidates, []string{debianLab}) {
		if jl, err := askLab(ctx, argv...); err == nil {
			return jl, nil
		}
	}
	return jupyterLab{}, errNoLab
}

// askLab asks a command for its version.
func askLab(ctx context.Context, argv ...string) (jupyterLab, error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second) // Python on a cold disk
	defer cancel()
	out, err := exec.CommandContext(ctx, argv[0], append(argv[1:], "--version")...).Output()
	if err != nil {
		return jupyterLab{}, err
	}
	version := strings.TrimSpace(string(out))
	if !strings.HasPrefix(version, labMajor) {
		return jupyterLab{}, fmt.Errorf("version %q, but JupyterLab %sx is needed", version, labMajor)
	}
	return jupyterLab{argv, version}, nil
}

// labDir returns the place of the private environment.
func labDir() (string, error) {
	dir, err := dataDir()
	return filepath.Join(dir, "expfam-lab"), err
}

// labComplete reports whether the private environment was made of the pinned packages, to the end.
func labComplete(dir string) bool {
	stamp, err := os.ReadFile(filepath.Join(dir, labStamp))
	return err == nil && bytes.Equal(stamp, labPackages)
}

// setUpLab makes the private environment and returns its JupyterLab. What remains of an interrupted set-up, or of one
// of another version, is thrown away: an environment can't be moved, so it is built in its place, and the stamp is
// written last.
func (in *installer) setUpLab(ctx context.Context) (jl jupyterLab, err error) {
	if in.pip != nil {
		return jl, fmt.Errorf("%w: %s brings it", errNoLab, in.pip.pip("install 'expfam[lab]=="+packed+"'"))
	}
	dir, err := labDir()
	if err != nil {
		return jl, err
	}
	unlock, err := in.lock()
	if err != nil {
		return jl, err
	}
	defer unlock()
	if labComplete(dir) { // another process did it meanwhile
		if jl, err = askLab(ctx, filepath.Join(dir, "bin", "jupyter-lab")); err == nil {
			return jl, nil
		}
	}
	fmt.Fprintf(in.out, "JupyterLab %s is set up once, in %s\n", labVersion, dir)
	err = in.step(labStep, false, func() (string, error) {
		err := buildLab(ctx, dir, in.out)
		if err == nil {
			jl, err = askLab(ctx, filepath.Join(dir, "bin", "jupyter-lab"))
		}
		if err == nil {
			err = ipynb.WriteFile(filepath.Join(dir, labStamp), labPackages)
		}
		return "version " + jl.version, err
	})
	if err != nil && ctx.Err() == nil {
		err = fmt.Errorf("%w: %s", err, labInstall)
	}
	if err == nil {
		err = in.remember(in.record()) // how long that took
	}
	return jl, err
}

// buildLab makes a virtual environment with JupyterLab, from the index that pip is configured for. The files of that
// index must be those that were pinned here.
func buildLab(ctx context.Context, dir string, out io.Writer) error {
	if os.Getenv(noInstallEnv) != "" {
		return fmt.Errorf("%s forbids fetching it", noInstallEnv)
	}
	python, err := exec.LookPath("python3")
	if err != nil {
		return errors.New("setting it up needs python3, which is not on PATH")
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	temp, remove, err := safefile.Folder("", "expfam-lab-")
	if err != nil {
		return err
	}
	defer remove()
	packages := filepath.Join(temp, "packages.txt")
	if err := os.WriteFile(packages, labPackages, 0o600); err != nil {
		return err
	}
	said, began := &pipOutput{}, time.Now()
	stop := newStatus(out).watch(pipQuiet, func() string { return said.text(began) })
	defer func() {
		if stop() {
			fmt.Fprintf(out, "%-20s ", labStep) // the step's result follows in a line that is clean
		}
	}()
	for _, argv := range [][]string{
		{python, "-m", "venv", dir},
		{filepath.Join(dir, "bin", "python"), "-m", "pip", "install", "--no-input", "--disable-pip-version-check",
			"--require-hashes", "--only-binary", ":all:", // building would fetch what has no hash here
			"--progress-bar", "off", "--retries", "2", "-r", packages},
	} {
		cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
		cmd.Env = append(os.Environ(), "PIP_USER=0", "PYTHONUNBUFFERED=1")
		cmd.Stdout, cmd.Stderr = said, said
		cmd.WaitDelay = time.Second
		if err := cmd.Run(); err != nil {
			if why := said.reason(); why != "" {
				return errors.New(why)
			}
			return fmt.Errorf("%s: %w", strings.Join(argv[:4], " "), err)
		}
	}
	settings := filepath.Join(dir, "share", "jupyter", "lab", "settings")
	if err := os.MkdirAll(settings, 0o755); err != nil {
		return err
	}
	return ipynb.WriteFile(filepath.Join(settings, "overrides.json"), []byte(labSettings))
}

// labSettings are the private environment's own defaults. It asks no other host for news or versions. So it does not
// begin with the question whether it may, nor with the news that there is a newer version than the one pinned here.
const labSettings = `{"@jupyterlab/apputils-extension:notification": {"checkForUpdates": false, "fetchNews": "false"}}
`

// removeLab removes the private environment, if there is one.
func removeLab(out io.Writer) error {
	dir, err := labDir()
	if err != nil {
		return err
	}
	if _, err := os.Stat(dir); err != nil {
		return nil
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	fmt.Fprintln(out, "removed", dir)
	return nil
}
