package main

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// The test binary is also the command under test: with this variable set it is `kernel`, as users start it.
const asKernel = "EXPFAM_TEST_AS_KERNEL"

func TestMain(m *testing.M) {
	if os.Getenv(asLab) != "" {
		os.Exit(fakeLab(os.Args[1:]))
	}
	if os.Getenv(asKernel) != "" {
		main()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// Whatever is wrong with a command is one line on standard error: what, and what to do.
func TestWrongCommandsAreOneSentence(t *testing.T) {
	if _, err := findCheckout(); err != nil {
		t.Skip("no checkout: ", err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	const lesson = "../notebooks/01-conjugacy-and-evidence.ipynb"
	for _, c := range []struct{ args, want string }{
		{"nope", "`kernel help` lists the verbs"},
		{"run", "run needs a notebook"},
		{"run nope.ipynb", "there is no notebook nope.ipynb"},
		{"run main.go", "not a notebook"},
		{"run ..", "is a directory"},
		{"run -x", "`kernel run -help` lists the flags"},
		{"run -timeout abc " + lesson, "invalid value \"abc\" for flag -timeout"},
		{"run -out a.ipynb " + lesson + " " + lesson, "-out takes one notebook, not 2"},
		{"run -out none/a.ipynb " + lesson, "there is no folder none: make it first"},
		{"run -out .. " + lesson, ".. is a folder"},
		{"run -set x=1 " + lesson, "give -out FILE"},
		{"run -set x=1 -check " + lesson, "parameter x: the notebook has none"},
		{"run -set x -check " + lesson, "give NAME=VALUE"},
		{"install x", "install takes no arguments"},
		{"install -x", "`kernel install -help` lists the flags"},
		{"doctor x", "doctor takes no arguments"},
		{"lab -port 99999", "take one from 1 to 65535"},
		{"lab -port x", "`kernel lab -help` lists the flags"},
		{"lab -jupyter /no/such", "name a jupyter-lab with -jupyter"},
		{"clean x", "clean takes no arguments"},
		{"clean -max lots", "`kernel clean -help` lists the flags"},
	} {
		t.Run(c.args, func(t *testing.T) {
			cmd := exec.Command(self, strings.Fields(c.args)...)
			cmd.Env = append(os.Environ(), asKernel+"=1", "HOME="+quietHome(t), "JUPYTER_DATA_DIR="+t.TempDir(), noInstallEnv+"=1")
			var stdout, stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			err := cmd.Run()
			text := stderr.String()
			if exitCode(err) < 1 || stdout.Len() > 0 || strings.Count(text, "\n") != 1 || !strings.HasPrefix(text, "kernel: ") || !strings.Contains(text, c.want) {
				t.Errorf("exit code %d, want %q in one line\n%s%s", exitCode(err), c.want, stdout.String(), text)
			}
		})
	}
}

func TestParseMixed(t *testing.T) {
	for _, c := range []struct {
		name    string
		args    string
		rest    string
		check   bool
		timeout time.Duration
	}{
		{"flags first", "-check -timeout 5s a.ipynb b.ipynb", "a.ipynb b.ipynb", true, 5 * time.Second},
		{"flags last", "a.ipynb -check", "a.ipynb", true, time.Minute},
		{"flags between", "a.ipynb -timeout=2s b.ipynb", "a.ipynb b.ipynb", false, 2 * time.Second},
		{"none", "", "", false, time.Minute},
	} {
		t.Run(c.name, func(t *testing.T) {
			flags := flag.NewFlagSet("", flag.ContinueOnError)
			check := flags.Bool("check", false, "")
			timeout := flags.Duration("timeout", time.Minute, "")
			rest, err := parseMixed(flags, strings.Fields(c.args))
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(rest, strings.Fields(c.rest)) || *check != c.check || *timeout != c.timeout {
				t.Errorf("got %q, check %v, timeout %v", rest, *check, *timeout)
			}
		})
	}
}

// quietHome is a home in which the go command does not collect telemetry: its collector
// outlives it, and writes while the test's folder is removed.
func quietHome(t *testing.T) string {
	t.Helper()
	home := t.TempDir()
	dir := filepath.Join(home, ".config", "go", "telemetry")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "mode"), []byte("off"), 0o644); err != nil {
		t.Fatal(err)
	}
	return home
}
