package command

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/expfam/lab/internal/must"
)

func TestFindLab(t *testing.T) {
	data, bin, elsewhere := t.TempDir(), t.TempDir(), t.TempDir()
	t.Setenv("JUPYTER_DATA_DIR", data)
	t.Setenv("PATH", bin)
	realDebian := debianLab
	t.Cleanup(func() { debianLab = realDebian })
	debianLab = filepath.Join(elsewhere, "debian")
	version := func(path, v string) { script(t, path, "echo "+v) }
	find := func(explicit string) string {
		jl, err := findLab(context.Background(), explicit)
		if err != nil {
			return err.Error()
		}
		return jl.version
	}
	private := filepath.Join(data, "expfam-lab")
	// Each step adds a place that goes before those of the steps above it.
	for _, c := range []struct {
		name string
		do   func()
		want string
	}{
		{"nowhere", func() {}, errNoLab.Error()},
		{"Debian's package", func() { version(debianLab, "4.0.1") }, "4.0.1"},
		{"a set-up that did not end", func() { version(filepath.Join(private, "bin/jupyter-lab"), "4.0.2") }, "4.0.1"},
		{"a set-up of another version", func() {
			os.WriteFile(filepath.Join(private, labStamp), []byte("jupyterlab==4.0.0"), 0o644)
		}, "4.0.1"},
		{"the private environment", func() { os.WriteFile(filepath.Join(private, labStamp), labPackages, 0o644) },
			"4.0.2"},
		{"JupyterLab 3 on PATH", func() { version(filepath.Join(bin, "jupyter"), "3.6.8") }, "4.0.2"},
		{"jupyter lab on PATH", func() { script(t, filepath.Join(bin, "jupyter"), `[ "$1" = lab ] && echo 4.0.3`) },
			"4.0.3"},
		{"one that fails on PATH", func() { script(t, filepath.Join(bin, "jupyter-lab"), "exit 1") }, "4.0.3"},
		{"jupyter-lab on PATH", func() { version(filepath.Join(bin, "jupyter-lab"), "4.0.4") }, "4.0.4"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.do()
			must.Equal(t, find(""), c.want)
		})
	}
	t.Run("named", func(t *testing.T) {
		version(filepath.Join(elsewhere, "mine"), "4.0.5")
		must.Equal(t, find(filepath.Join(elsewhere, "mine")), "4.0.5")
	})
	t.Run("named but not there", func(t *testing.T) {
		got := find("/no/such")
		must.Be(t, strings.Contains(got, "/no/such: ") && strings.Contains(got, jupyterEnv), "got %q", got)
	})
}

// fakePython is a python3 whose environments hold what the test says: venv is what `-m venv` does after making the
// folder, pip what pip does.
func fakePython(t *testing.T, bin, venv, pip string) {
	t.Helper()
	script(t, filepath.Join(bin, "python3"), `mkdir -p "$3/bin"
cat >"$3/bin/python" <<'EOF'
#!/bin/sh
env="${0%/bin/python}"
echo "$@" >"$env/arguments"
for last; do :; done
cp "$last" "$env/packages"
echo "$PIP_USER" >"$env/user"
`+pip+`
EOF
chmod +x "$3/bin/python"
`+venv)
}

const pipInstalls = `echo "Collecting jupyterlab"
printf '#!/bin/sh\necho ` + labVersion + `\n' >"$env/bin/jupyter-lab"
chmod +x "$env/bin/jupyter-lab"`

func TestSetUpLab(t *testing.T) {
	data, bin := t.TempDir(), t.TempDir()
	t.Setenv("JUPYTER_DATA_DIR", data)
	t.Setenv("PATH", bin+":/usr/bin:/bin")
	t.Setenv(noInstallEnv, "")
	realDebian := debianLab
	t.Cleanup(func() { debianLab = realDebian })
	debianLab = "/no/such"
	dir := filepath.Join(data, "expfam-lab")
	var out bytes.Buffer
	in := &installer{dir: filepath.Join(data, "kernels/expfam"), out: &out, env: goEnv{GOPATH: data}}
	setUp := func() (jupyterLab, error) {
		out.Reset()
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		return in.setUpLab(ctx)
	}
	for _, c := range []struct{ name, venv, pip, want string }{
		{"no ensurepip", `echo "The virtual environment was not created successfully because ensurepip is not"; exit 1`,
			"", "apt-get install python3-venv"},
		{"no network", "", `echo "WARNING: Retrying after connection broken by 'NewConnectionError'"
echo "ERROR: No matching distribution found for jupyterlab"; exit 1`, "pip can't reach its package index"},
		{"no such version", "", `echo "ERROR: No matching distribution found for jupyterlab"; exit 1`,
			"pip: No matching distribution found"},
		{"a file with another hash", "", `echo "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE."; echo "    Expected sha256 x"; exit 1`, "pip: a download is not what was pinned"},
		{"pip says nothing", "", "exit 1", "pip install: exit status 1"},
		{"what was installed does not start", "",
			`printf '#!/bin/sh\n' >"$env/bin/jupyter-lab"; chmod +x "$env/bin/jupyter-lab"`,
			"JupyterLab 4.x is needed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			fakePython(t, bin, c.venv, c.pip)
			_, err := setUp()
			must.Be(t, err != nil && strings.Contains(err.Error(), c.want) &&
				strings.HasSuffix(err.Error(), labInstall) && !strings.Contains(err.Error(), "\n"),
				"got %v", err)
			must.Be(t, !labComplete(dir), "it counts as complete")
		})
	}
	t.Run("forbidden", func(t *testing.T) {
		t.Setenv(noInstallEnv, "1")
		must.Refuse(setUp())(t, noInstallEnv)
	})
	t.Run("interrupted", func(t *testing.T) {
		fakePython(t, bin, "", pipInstalls+"\ntouch \"$env/half\"\nexec sleep 600")
		ctx, cancel := context.WithCancel(context.Background())
		go func() {
			for range 500 { // 10 s
				if _, err := os.Stat(filepath.Join(dir, "half")); err == nil {
					break
				}
				time.Sleep(20 * time.Millisecond)
			}
			cancel()
		}()
		must.Refuse(in.setUpLab(ctx))(t)
		_, err := findLab(context.Background(), "")
		must.Be(t, errors.Is(err, errNoLab), "half an environment was taken: %v", err)
		f := checkFrontEnds(context.Background(), in)[0]
		must.Be(t, strings.Contains(f.remedy, "did not end"), "doctor says %+v", f)
	})
	t.Run("again after that", func(t *testing.T) {
		fakePython(t, bin, "", pipInstalls)
		jl, err := setUp()
		must.Need(t, err == nil && jl.version == labVersion && jl.argv[0] == filepath.Join(dir, "bin/jupyter-lab"),
			"got %+v, %v", jl, err)
		must.Refuse(os.Stat(filepath.Join(dir, "half")))(t)
		arguments := string(read(t, filepath.Join(dir, "arguments")))
		must.Be(t, strings.Contains(arguments, "--require-hashes --only-binary :all:"), "pip got %q", arguments)
		must.Be(t, bytes.Equal(read(t, filepath.Join(dir, "packages")), labPackages),
			"pip got other packages than the pinned ones")
		fields := strings.Fields(arguments)
		must.Refuse(os.Stat(fields[len(fields)-1]))(t)
		must.Equal(t, strings.TrimSpace(string(read(t, filepath.Join(dir, "user")))), "0", "PIP_USER")
		must.Be(t, strings.Contains(out.String(), "version "+labVersion), "printed %q", out.String())
	})
	t.Run("found from then on", func(t *testing.T) {
		must.Equal(t, must.Get(findLab(context.Background(), ""))(t).version, labVersion)
		f := checkFrontEnds(context.Background(), in)[0]
		must.Be(t, f.remedy == "" && strings.HasPrefix(f.detail, labVersion), "doctor says %+v", f)
	})
	t.Run("remove", func(t *testing.T) {
		must.Do(t, uninstall(&out))
		must.Refuse(os.Stat(dir))(t)
	})
}

// Every package has one version for each Python, and hashes.
func TestLabPackagesArePinned(t *testing.T) {
	requirements := strings.Split(strings.ReplaceAll(strings.TrimSpace(string(labPackages)), " \\\n", " "), "\n")
	must.Be(t, len(requirements) >= 50, "%d packages", len(requirements))
	pinned := regexp.MustCompile(`^[\w.-]+==[\w.]+(?: ; .+?)?(?: +--hash=sha256:[0-9a-f]{64})+$`)
	for _, r := range requirements {
		must.Be(t, pinned.MatchString(r), "not pinned: %s", r)
	}
	must.Be(t, strings.Contains(string(labPackages), "jupyterlab=="+labVersion+" "),
		"the packages are not those of JupyterLab %s", labVersion)
}
