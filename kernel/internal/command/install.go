package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/expfam/lab/kernel/internal/ipynb"
)

// install executes the verb install: it puts everything in place, or undoes that.
func install(ctx context.Context, args []string) error {
	flags := newFlags("install")
	remove := flags.Bool("remove", false, "remove what an earlier install put in place")
	only := flags.Bool("tools", false, "build the notebook kernel's programs and nothing else")
	xla := flags.Bool("xla", false, "put XLA for processors in place (a download of 63 MB, into the first folder of "+
		pluginsEnv+" or ~/.local/lib/go-xla) and nothing else; Linux on x86-64")
	if err := parse(flags, args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("install takes no arguments, got %q", flags.Args())
	}
	if *remove && packed != "" {
		return removeCaches(os.Stdout)
	}
	if *remove {
		return uninstall(os.Stdout)
	}
	in, err := newInstaller(ctx, os.Stdout)
	if err != nil {
		return err
	}
	in.verbose = true
	if in.pip != nil && (*xla || *only) {
		return fmt.Errorf("pip has installed this program: %s brings XLA, and nothing is to be built",
			in.pip.pip("install 'expfam[xla]'"))
	}
	if *xla {
		return in.only(ctx, xlaPart)
	}
	if *only {
		return in.tools(ctx)
	}
	if err := in.ensure(ctx); err != nil {
		return err
	}
	fmt.Fprintf(os.Stdout, "ready: %s, or the kernel %q in JupyterLab\n", quoted("run NOTEBOOK..."), displayName)
	return nil
}

// installer knows what has to be in place, and puts in place what isn't.
type installer struct {
	co      checkout
	env     goEnv
	dir     string       // the kernelspec's folder; tools are in bin below it, unless a wheel brought them
	pip     *environment // nil unless pip has installed this program
	out     io.Writer
	verbose bool // also list what was in place, and try again what failed before
	fetches sync.WaitGroup

	steps, done int                // numbers of the announced steps, and of those that are done
	expected    map[string]float64 // about how long each announced step takes, in seconds
	took        map[string]float64 // how long each announced step took, in seconds
}

func specDir() (string, error) {
	dir, err := dataDir()
	return filepath.Join(dir, "kernels", kernelName), err
}

func newInstaller(ctx context.Context, out io.Writer) (*installer, error) {
	in := &installer{out: out}
	e, ofPip, err := here()
	if err != nil {
		return nil, err
	}
	if ofPip {
		in.pip, in.dir = &e, e.notes()
		in.co, err = checkoutAt(e.source())
	} else if in.co, err = findCheckout(); err == nil {
		in.dir, err = specDir()
	}
	if err == nil {
		in.env, err = in.co.goEnv(ctx)
	}
	return in, err
}

func (in *installer) bin() string {
	if in.pip != nil {
		return in.pip.bin()
	}
	return filepath.Join(in.dir, "bin")
}

// ensure puts in place what is missing or outdated. When nothing is, that takes a few milliseconds.
func (in *installer) ensure(ctx context.Context) error {
	if in.pip != nil {
		return in.prepare(ctx)
	}
	unlock, err := in.lock()
	if err != nil {
		return err
	}
	defer unlock()
	rec := in.record()
	in.announce(in.missingSteps(rec), rec)
	// What comes over the network arrives while the tools compile.
	fetching, cancel := context.WithCancel(ctx)
	defer in.fetches.Wait() // for their temporary files to go
	defer cancel()
	var steps []func() error
	for _, p := range parts() {
		if p.flag == "" {
			steps = append(steps, in.begin(fetching, p, &rec))
		}
	}
	if err := in.tools(ctx); err != nil {
		return err
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	if err := in.frontEnd(); err != nil {
		return err
	}
	if err := in.library(ctx, &rec); err != nil {
		return err
	}
	data, err := newSpec(in.co, in.env, in.bin()).bytes()
	if err != nil {
		return err
	}
	path := filepath.Join(in.dir, "kernel.json")
	old, _ := os.ReadFile(path)
	err = in.step("kernel "+displayName, bytes.Equal(old, data), func() (string, error) {
		return "written to " + path, ipynb.WriteFile(path, data)
	})
	if err != nil {
		return err
	}
	return in.remember(rec)
}

// tools builds the programs of the notebook kernel that are missing or outdated.
func (in *installer) tools(ctx context.Context) error {
	for _, t := range tools {
		want := in.co.version(t.module)
		err := in.step(t.name, t.built(in.bin()) == want, func() (string, error) {
			return "built " + want, t.build(ctx, in.co, in.bin())
		})
		if err != nil {
			return err
		}
	}
	return in.step("kernel program", in.programCurrent(), func() (string, error) { return "copied", in.copyProgram() })
}

// only puts one part in place, and nothing else.
func (in *installer) only(ctx context.Context, p part) error {
	unlock, err := in.lock()
	if err != nil {
		return err
	}
	defer unlock()
	rec := in.record()
	return in.begin(ctx, p, &rec)()
}

// step does one thing unless it is done, and says what and how long it took.
func (in *installer) step(name string, done bool, do func() (string, error)) error {
	if done {
		if in.verbose {
			fmt.Fprintf(in.out, "%-20s in place\n", name)
		}
		return nil
	}
	fmt.Fprintf(in.out, "%-20s ", name)
	start, stop := time.Now(), in.showProgress(name)
	what, err := do()
	stop()
	if err != nil {
		fmt.Fprintln(in.out, " failed")
		return fmt.Errorf("%s: %w", name, err)
	}
	seconds := time.Since(start).Seconds()
	fmt.Fprintf(in.out, "%5.1f s  %s\n", seconds, what)
	if _, announced := in.expected[name]; announced {
		if in.done++; in.took == nil {
			in.took = map[string]float64{}
		}
		in.took[name] = seconds
	}
	return nil
}

// uninstall removes what install and lab made: the kernelspec with its tools, the front end of live controls, the
// private environment of JupyterLab, and ONNX Runtime, XLA and ECharts if install put them there. The caches of Go and
// pip stay, because other programs use them too.
func uninstall(out io.Writer) error {
	dir, err := specDir()
	if err != nil {
		return err
	}
	if err := removeLab(out); err != nil {
		return err
	}
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintln(out, "nothing is installed in", dir)
		return nil
	}
	rec := (&installer{dir: dir}).record()
	for _, p := range parts() {
		if err := p.remove(rec, out); err != nil {
			return err
		}
	}
	if err := removeFrontEnd(); err != nil {
		return err
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	fmt.Fprintln(out, "removed", dir)
	return nil
}
