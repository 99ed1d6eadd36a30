package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/expfam/lab/internal/safefile"
)

// finding is a line of the doctor's list.
type finding struct {
	name   string
	detail string // version and path if it is well
	remedy string // the command that mends it; "" means well
	needed bool   // nothing runs without it
}

// doctor executes the verb doctor: it lists what notebooks need, and what mends what isn't well.
func doctor(ctx context.Context, args []string) error {
	flags := newFlags("doctor")
	if err := parse(flags, args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("doctor takes no arguments, got %q", flags.Args())
	}
	ill := 0
	for _, f := range machine() {
		ill += f.print()
	}
	in, err := newInstaller(ctx, io.Discard)
	if err != nil {
		return err
	}
	for _, check := range []func(context.Context, *installer) []finding{checkCompilers, checkKernel, checkFrontEnds,
		checkFrontEnd, checkEngines, checkParts, checkStore} {
		for _, f := range check(ctx, in) {
			ill += f.print()
		}
	}
	if ill > 0 {
		return fmt.Errorf("%d needed things are missing; each line above says what to do", ill)
	}
	return nil
}

// print writes the line of a finding, and returns 1 if nothing runs without what is missing.
func (f finding) print() int {
	switch {
	case f.remedy == "":
		fmt.Printf("ok       %-14s %s\n", f.name, f.detail)
	case f.needed:
		fmt.Printf("missing  %-14s %s\n", f.name, f.remedy)
		return 1
	default:
		fmt.Printf("-        %-14s %s\n", f.name, f.remedy)
	}
	return 0
}

func checkCompilers(ctx context.Context, in *installer) []finding {
	found := []finding{{name: "Go", detail: in.env.GOVERSION + "  " + in.env.GOROOT}}
	if in.pip != nil {
		return append(found, finding{name: "C compiler", detail: requirement(zigPackage) + "  " + in.pip.zig()})
	}
	gcc := finding{name: "gcc", remedy: "`apt-get install gcc libc6-dev`: without it only the pure-Go engine works",
		needed: true}
	if path, err := exec.LookPath("gcc"); err == nil {
		if version, err := firstLine(ctx, path, "--version"); err == nil {
			gcc.detail, gcc.remedy = version, ""
		}
	}
	return append(found, gcc)
}

func checkKernel(_ context.Context, in *installer) []finding {
	if in.pip != nil {
		return in.checkPip()
	}
	mend := quoted("install")
	var found []finding
	for _, t := range tools {
		f := finding{name: t.name, remedy: mend, needed: true}
		switch got, want := t.built(in.bin()), in.co.version(t.module); got {
		case "":
		case want:
			f.detail, f.remedy = got+"  "+filepath.Join(in.bin(), t.file()), ""
		default:
			f.remedy = fmt.Sprintf("%s (%s is installed, %s is wanted)", mend, got, want)
		}
		found = append(found, f)
	}
	copied := finding{name: "kernel program", remedy: mend, needed: true}
	if in.programCurrent() {
		copied.detail, copied.remedy = filepath.Join(in.bin(), kernelProgram), ""
	}
	found = append(found, copied)
	spec := finding{name: "kernelspec", remedy: mend, needed: true}
	path := filepath.Join(in.dir, "kernel.json")
	want, err := newSpec(in.co, in.env, in.bin()).bytes()
	if have, errRead := os.ReadFile(path); err == nil && errRead == nil {
		if string(have) == string(want) {
			spec.detail, spec.remedy = fmt.Sprintf("%q  %s", displayName, path), ""
		} else {
			spec.remedy = mend + " (the one that is there is of another checkout, Go or engine)"
		}
	}
	return append(found, spec)
}

func checkFrontEnds(ctx context.Context, in *installer) []finding {
	jupyter := finding{name: "JupyterLab", remedy: quoted("lab") + " sets up " + labVersion +
		"; " + quoted("run") + " needs none"}
	if in != nil && in.pip != nil {
		jupyter.remedy = in.pip.pip("install 'expfam[lab]'") + " brings it; " + quoted("run") + " needs none"
	}
	if jl, err := findLab(ctx, os.Getenv(jupyterEnv)); err == nil {
		jupyter.detail, jupyter.remedy = jl.version+"  "+strings.Join(jl.argv, " "), ""
	} else if !errors.Is(err, errNoLab) {
		jupyter.remedy = err.Error()
	} else if dir, err := labDir(); err == nil && !labComplete(dir) {
		if _, err := os.Stat(dir); err == nil {
			jupyter.remedy += " (an earlier set-up in " + dir + " did not end)"
		}
	}
	return []finding{jupyter}
}

func checkEngines(ctx context.Context, in *installer) []finding {
	gpu := finding{name: "GPU", remedy: "none found (nvidia-smi is not on PATH); nothing here needs one"}
	if path, err := exec.LookPath("nvidia-smi"); err == nil {
		line, err := firstLine(ctx, path, "--query-gpu=name,driver_version,memory.total", "--format=csv,noheader")
		if err == nil {
			gpu.detail, gpu.remedy = line, ""
		} else {
			gpu.remedy = "nvidia-smi fails: `nvidia-smi` says why"
		}
	}
	return []finding{gpu, {name: "engine go", detail: "always there"}}
}

// checkOnnx returns the doctor's line about ONNX Runtime, which it loads.
func checkOnnx(ctx context.Context, in *installer) finding {
	path := os.Getenv(onnxEnv)
	if path == "" {
		var err error
		if path, err = onnxPath(); err != nil {
			return finding{name: onnxPart.line, remedy: err.Error()}
		}
	}
	_, err := os.Stat(path)
	var version string
	switch {
	case err != nil:
	case packed != "": // the compiler of a wheel takes half a minute for its first program, and its library was tried
		version, err = onnxUsable(path)
	default:
		version, err = probeOnnx(ctx, path)
	}
	return onnxPart.finding(in, path, version, err)
}

// probeSource loads the library as GoMLX does and asks for its version and for the interface that GoMLX uses.
const probeSource = `
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
struct base { const void *(*api)(uint32_t); const char *(*version)(void); };
int main(int argc, char **argv) {
	void *lib = dlopen(argv[1], RTLD_LAZY | RTLD_LOCAL);
	if (!lib) { puts(dlerror()); return 1; }
	const struct base *(*get)(void) = (const struct base *(*)(void))dlsym(lib, "OrtGetApiBase");
	if (!get) { puts("no OrtGetApiBase in the library"); return 1; }
	const struct base *b = get();
	if (!b->api(%d)) { printf("version %%s is too old\n", b->version()); return 1; }
	puts(b->version());
	return 0;
}`

// probeOnnx loads the library in a process of its own, for which gcc is enough, and returns its version.
func probeOnnx(ctx context.Context, path string) (string, error) {
	dir, remove, err := safefile.Folder("", "expfam-probe-")
	if err != nil {
		return "", err
	}
	defer remove()
	bin := filepath.Join(dir, "probe")
	gcc := exec.CommandContext(ctx, "gcc", "-x", "c", "-", "-o", bin, "-ldl")
	gcc.Stdin = strings.NewReader(fmt.Sprintf(probeSource, onnxMinMinor))
	if err := execute(gcc); err != nil {
		return "", err
	}
	out, err := exec.CommandContext(ctx, bin, path).Output()
	text := strings.TrimSpace(string(out))
	var exit *exec.ExitError
	if errors.As(err, &exit) && text != "" {
		return "", errors.New(text)
	}
	return text, err
}

// firstLine runs a command that should answer at once and returns the first line of its output.
func firstLine(ctx context.Context, name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, name, args...).Output()
	line, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	return line, err
}
