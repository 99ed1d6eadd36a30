package command

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"

	"github.com/expfam/lab/internal/safefile"
	"github.com/expfam/lab/internal/version"
	"github.com/expfam/lab/kernel/internal/addresses"
	"github.com/expfam/lab/kernel/internal/pack"
)

// wheels executes the verb wheel: it builds the packages that pip installs.
func wheels(ctx context.Context, args []string) error {
	flags := newFlags("wheel")
	out := flags.String("out", "dist", "the folder for the wheels")
	platform := flags.String("platform", runtime.GOOS+"/"+runtime.GOARCH, "the system, one of linux/amd64, "+
		"linux/arm64, darwin/arm64 and darwin/amd64; the wheel with the compiled library is built for this machine's "+
		"alone")
	number := flags.String("number", version.Version, "the version of the wheels; another than the library's is "+
		"for tests")
	partial := flags.Bool("partial", false, "go on without ECharts or ONNX Runtime where they cannot be had, for tests")
	if err := parse(flags, args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("wheel takes no arguments, got %q", flags.Args())
	}
	if packed != "" {
		return errors.New("wheels are built in a clone, by `go run ./kernel wheel`")
	}
	if pipPlatforms[*platform] == "" {
		return fmt.Errorf("wheel -platform takes linux/amd64, linux/arm64, darwin/arm64 or darwin/amd64, not %q",
			*platform)
	}
	co, err := findCheckout()
	if err != nil {
		return err
	}
	temp, remove, err := safefile.Folder("", "expfam-wheel-")
	if err != nil {
		return err
	}
	defer remove()
	p := packer{co: co, out: *out, temp: temp, system: *platform, version: *number, partial: *partial}
	main, err := p.mainWheel(ctx)
	if err != nil {
		return err
	}
	fmt.Println(main)
	if *platform != runtime.GOOS+"/"+runtime.GOARCH {
		return nil
	}
	library, err := p.libraryWheel(ctx, main)
	if err != nil {
		return err
	}
	fmt.Println(library)
	return nil
}

// packer builds the wheels of one system.
type packer struct {
	co        checkout
	out, temp string
	system    string
	version   string
	partial   bool
}

//go:embed pypi.md
var pypiPage string

// headers returns the lines of METADATA that both wheels have.
func (p packer) headers(summary string) []string {
	return []string{"Summary: " + summary, "License-Expression: Apache-2.0", "License-File: LICENSE",
		"License-File: NOTICE", "Project-URL: Source, https://" + modulePath, "Requires-Python: >=3.10"}
}

// mainWheel builds the wheel expfam.
func (p packer) mainWheel(ctx context.Context) (string, error) {
	headers := append(p.headers("Bayesian inverse problems with diffusion priors, in Go and in JupyterLab"),
		"Requires-Dist: "+requirement(goPackage), "Requires-Dist: "+requirement(zigPackage),
		"Requires-Dist: expfam-library=="+p.version+" ; sys_platform == 'linux' and platform_machine == 'x86_64'",
		"Provides-Extra: lab", "Requires-Dist: jupyterlab>=4.4,<5 ; extra == 'lab'",
		"Provides-Extra: xla", fmt.Sprintf("Requires-Dist: %s==%s ; extra == 'xla' and sys_platform == 'linux' and "+
			"platform_machine == 'x86_64'", xlaPackage, pinnedVersion(xlaPackage)))
	w, err := pack.Create(p.out, pack.Distribution{Name: packedFolder, Version: p.version,
		Platform: pipPlatforms[p.system], Headers: headers, Description: pypiPage})
	if err != nil {
		return "", err
	}
	defer w.Discard()
	for _, add := range []func(context.Context, *pack.Wheel) error{p.programs, p.runtime, p.forJupyter, p.licences,
		func(ctx context.Context, w *pack.Wheel) error {
			return pack.Library(ctx, p.co.dir, p.system, func(name string, data []byte) {
				w.Add(packedFolder+"/"+name, data, false)
			})
		}} {
		if err := add(ctx, w); err != nil {
			return "", err
		}
	}
	w.Add(packedFolder+"/certify.py", certifyModule, false)
	w.Add(packedFolder+"/papermill.py", papermillModule, false)
	w.Add(w.Info("entry_points.txt"), []byte(papermillEntry), false)
	return w.Close()
}

// compilerScript is the program compilerName. On Linux it compiles for the oldest system that the wheel is for, on all
// machines alike.
const compilerScript = `#!/bin/sh
exec "${` + zigEnv + `:?is set by expfam, whose compiler of C this is}" cc%s "$@"
`

var compilerTargets = map[string]string{
	"linux/amd64": " -target x86_64-linux-gnu.2.28", "linux/arm64": " -target aarch64-linux-gnu.2.28",
}

// programs adds what is executed. Without cgo the programs need no library of the system.
func (p packer) programs(ctx context.Context, w *pack.Wheel) error {
	goos, arch, _ := strings.Cut(p.system, "/")
	env := []string{"GOOS=" + goos, "GOARCH=" + arch, "CGO_ENABLED=0", "GOFLAGS="}
	program := filepath.Join(p.temp, "expfam")
	err := execute(p.co.command(ctx, "", env, "build", "-buildvcs=false", "-trimpath", compileFlags,
		"-ldflags=-s -w -X "+modulePath+"/kernel/internal/command.packed="+p.version+" "+addresses.Flag(p.system),
		"-o", program, "./kernel/expfam"))
	if err != nil {
		return err
	}
	w.AddFile(w.Data("scripts", "expfam"), program, true)
	for _, t := range tools {
		if err := t.build(ctx, p.co, p.temp, env...); err != nil {
			return err
		}
		w.AddFile(packedFolder+"/bin/"+t.file(), filepath.Join(p.temp, t.file()), true)
	}
	w.Add(packedFolder+"/bin/"+compilerName, fmt.Appendf(nil, compilerScript, compilerTargets[p.system]), true)
	return nil
}

// runtime adds ONNX Runtime.
func (p packer) runtime(ctx context.Context, w *pack.Wheel) error {
	from, ok := pinned(onnxPackage, p.system)
	if !ok {
		fmt.Fprintf(os.Stderr, "%s has no wheel for %s: there %s\n", onnxPackage, p.system, slowdown)
		return nil
	}
	name, lib := onnxLibrary(p.system), filepath.Join(p.temp, "onnxruntime")
	files := []member{{name, name}, {"LICENSE", "LICENSE"}, {"ThirdPartyNotices.txt", "ThirdPartyNotices.txt"}}
	if err := from.put(ctx, lib, files, acceptAny); err != nil {
		return p.allowMissing(onnxPart.name, err)
	}
	w.AddTree(packedFolder+"/lib", lib, nil)
	return nil
}

// acceptAny is usable.
func acceptAny(string) error { return nil }

// allowMissing returns nil if the wheel may lack something that cannot be had.
func (p packer) allowMissing(what string, err error) error {
	if !p.partial {
		return fmt.Errorf("%s: %w", what, err)
	}
	fmt.Fprintf(os.Stderr, "without %s: %v\n", what, err)
	return nil
}

// pipSpec is the kernelspec of a wheel. Jupyter puts in the folder in which it has found it.
const pipSpec = `{
  "argv": ["{resource_dir}/../../../../bin/expfam", "` + kernelVerb + `", "{connection_file}"],
  "display_name": "` + displayName + `",
  "language": "go",
  "interrupt_mode": "message"
}
`

// forJupyter adds the kernelspec, the front end of live controls with the templates, and ECharts.
func (p packer) forJupyter(ctx context.Context, w *pack.Wheel) error {
	place := func(parts ...string) string {
		return w.Data("data", "share/jupyter/"+strings.Join(parts, "/"))
	}
	w.Add(place("kernels", kernelName, "kernel.json"), []byte(pipSpec), false)
	dir, err := echartsDir()
	if err != nil {
		return err
	}
	err = eachFrontEnd(func(data []byte, path string) error {
		rel, err := filepath.Rel(dir, path)
		w.Add(place("labextensions", frontEndName, filepath.ToSlash(rel)), data, false)
		return err
	})
	if err != nil {
		return err
	}
	echarts := filepath.Join(p.temp, "echarts")
	from, _ := pinned(echartsPackage, p.system)
	if err := from.put(ctx, echarts, echartsFiles, acceptAny); err != nil {
		return p.allowMissing(echartsPart.name, err)
	}
	w.AddTree(place("labextensions", frontEndName), echarts, nil)
	return nil
}

var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)`)
