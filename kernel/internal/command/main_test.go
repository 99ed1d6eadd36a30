package command

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/expfam/lab/internal/must"
	"github.com/expfam/lab/kernel/internal/ipynb"
	"github.com/expfam/lab/notebooks/templates"
)

// The test binary is also the command under test: with this variable set it is `expfam`, as users start it.
const asKernel = "EXPFAM_TEST_AS_KERNEL"

func TestMain(m *testing.M) {
	if os.Getenv(asLab) != "" {
		os.Exit(fakeLab(os.Args[1:]))
	}
	if os.Getenv(asKernel) != "" {
		Main()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// Whatever is wrong with a command is one line on standard error: what, and what to do.
func TestWrongCommandsAreOneSentence(t *testing.T) {
	if _, err := findCheckout(); err != nil {
		t.Skip("no checkout: ", err)
	}
	self := must.Get(os.Executable())(t)
	const lesson, share = "../../../notebooks/01-conjugacy-and-evidence.ipynb", "../../../deploy/share.ipynb"
	for _, c := range []struct{ args, want string }{
		{"nope", "`expfam help` lists the verbs"},
		{"run", "run needs a notebook"},
		{"run nope.ipynb", "the notebook nope.ipynb does not exist"},
		{"run main.go", "not a notebook"},
		{"run ..", "it is a folder and no file"},
		{"run -x", "`expfam run -help` lists the flags"},
		{"run -timeout abc " + lesson, "invalid value \"abc\" for flag -timeout"},
		{"run -timeout 0 " + lesson, "give a positive time, such as 30m"},
		{"run -timeout -5s " + lesson, "and -5s is none: give a positive time"},
		{"run -out a.ipynb " + lesson + " " + lesson, "-out takes one notebook, not 2"},
		{"run -out none/a.ipynb " + lesson, "there is no folder none: make it first"},
		{"run -out .. " + lesson, ".. is a folder"},
		{"run -set x=1 " + lesson, "give -out FILE"},
		{"run -set x=1 -check " + lesson, "parameter x: the notebook has none"},
		{"run -set x -check " + lesson, "give NAME=VALUE"},
		{"run -check -p x 1 " + lesson, "parameter x: the notebook has none"},
		{"run " + lesson + " -p x", "-p needs a name and a value, as in -p draws 100"},
		{"run " + lesson + " -p 1 x", "give NAME=VALUE"},
		{"run " + lesson + " -p x 1", "give -out FILE"},
		{"run " + lesson + " out.ipynb -f a.yaml", "give each parameter as -p NAME VALUE"},
		{"install x", "install takes no arguments"},
		{"install -x", "`expfam install -help` lists the flags"},
		{"doctor x", "doctor takes no arguments"},
		{"lab -port 99999", "take one from 1 to 65535"},
		{"lab -port x", "`expfam lab -help` lists the flags"},
		{"lab -jupyter /no/such", "name a jupyter-lab with -jupyter"},
		{"new nope", "take one of counts, grid, images, survey"},
		{"new counts -x", "`expfam new -help` lists the flags"},
		{"new counts a b", "takes the name of a template and a folder"},
		{"submit", "submit -shares 8 -out FOLDER NOTEBOOK"},
		{"submit -shares 0 -out x " + share, "submit needs one notebook, a number of shares and a folder"},
		{"submit -shares 2 -out x nope.ipynb", "the notebook nope.ipynb does not exist"},
		{"submit -shares 2 -out x -over nope " + share, "parameter nope: the notebook has none"},
		{"submit -shares 2 -out x -set share=1 " + share,
			"parameter share: every node sets it to the number of its share"},
		{"submit -shares 2 -out x -set folder=y " + share, "parameter folder: submit sets it by itself"},
		{"submit -shares 2 -out x -set draws=many " + share, "is no int"},
		{"submit -shares 2 -out x -set nope=1 " + share, "parameter nope: neither"},
		{"submit -shares 2 -out x -merge nope.ipynb " + share, "the notebook nope.ipynb does not exist"},
		{"submit -shares 2 -out x -timeout 0 " + share, "give a positive time"},
		{"kernel x.json", "`expfam help` lists the verbs"},
		{"clean x", "clean takes no arguments"},
		{"clean -max lots", "`expfam clean -help` lists the flags"},
	} {
		t.Run(c.args, func(t *testing.T) {
			cmd := exec.Command(self, strings.Fields(c.args)...)
			cmd.Env = append(os.Environ(), asKernel+"=1", "HOME="+quietHome(t), "JUPYTER_DATA_DIR="+t.TempDir(),
				noInstallEnv+"=1")
			var stdout, stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			err := cmd.Run()
			text := stderr.String()
			must.Be(t, exitCode(err) >= 1 && stdout.Len() <= 0 && strings.Count(text, "\n") == 1 &&
				strings.HasPrefix(text, "expfam: ") && strings.Contains(text, c.want),
				"exit code %d, want %q in one line\n%s%s", exitCode(err), c.want, stdout.String(), text)
		})
	}
}

// Every verb says what it does, and lists its flags.
func TestHelp(t *testing.T) {
	all := usage()
	for _, v := range verbs() {
		flags := newFlags(v.name)
		var out bytes.Buffer
		flags.SetOutput(&out)
		flags.Usage()
		must.Be(t, strings.HasPrefix(out.String(), "usage: expfam "+v.name) &&
			strings.Contains(out.String(), v.sentence) && len(v.sentence) >= 40,
			"%s: %s", v.name, out.String())
		must.Be(t, strings.Contains(all, v.sentence), "`expfam help` has no %s:\n%s", v.name, all)
		err := v.do(t.Context(), []string{"-h"})
		must.Be(t, errors.Is(err, flag.ErrHelp), "%s -h: %v", v.name, err)
	}
}

// The command that `expfam new` says works in a folder whose name has a blank.
func TestShellWord(t *testing.T) {
	for path, want := range map[string]string{"a/b.ipynb": "a/b.ipynb", "my notes/b.ipynb": "'my notes/b.ipynb'",
		"it's/b.ipynb": `'it'\''s/b.ipynb'`} {
		must.Equal(t, shellWord(path), want, path)
		echo, err := exec.Command("sh", "-c", "printf %s "+shellWord(path)).Output()
		must.Be(t, err == nil && string(echo) == path, "a shell takes %s for %s, %v", shellWord(path), echo, err)
	}
}

// A template is copied whole, and nothing that is there is replaced.
func TestNew(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "mine")
	for _, tpl := range templates.All {
		must.Do(t, newNotebook(t.Context(), []string{tpl.Name, folder}))
		nb := must.Get(ipynb.Read(filepath.Join(folder, tpl.Name+".ipynb")))(t)
		code := 0
		for _, c := range nb.Cells {
			if c.Type == ipynb.Code {
				code++
			}
			must.Be(t, len(c.Outputs) == 0 && c.ExecutionCount == nil, "%s has outputs", tpl.Name)
		}
		must.Be(t, code >= 5 && code <= 8, "%s has %d cells of code, not five to eight", tpl.Name, code)
		for _, name := range tpl.Data {
			must.Get(os.Stat(filepath.Join(folder, name)))(t)
		}
	}
	mine := filepath.Join(folder, "counts.csv")
	must.Do(t, os.WriteFile(mine, []byte("mine"), 0o600))
	os.Remove(filepath.Join(folder, "counts.ipynb"))
	err := newNotebook(t.Context(), []string{"counts", folder})
	must.Be(t, err != nil && string(read(t, mine)) == "mine", "%v, and %s is %q", err, mine, read(t, mine))
	must.Refuse(os.Stat(filepath.Join(folder, "counts.ipynb")))(t)
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
			rest := must.Get(parseMixed(flags, strings.Fields(c.args)))(t)
			must.Be(t, slices.Equal(rest, strings.Fields(c.rest)) && *check == c.check && *timeout == c.timeout,
				"got %q, check %v, timeout %v", rest, *check, *timeout)
		})
	}
}

// quietHome is a home in which the go command does not collect telemetry: its collector
// outlives it, and writes while the test's folder is removed.
func quietHome(t *testing.T) string {
	t.Helper()
	home := t.TempDir()
	dir := filepath.Join(home, ".config", "go", "telemetry")
	must.Do(t, os.MkdirAll(dir, 0o755))
	must.Do(t, os.WriteFile(filepath.Join(dir, "mode"), []byte("off"), 0o644))
	return home
}
