package command

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// packed is the version of the wheel for which this program was built; "" if it was built by a person's Go. The linker
// sets it.
var packed string

// Names of what the wheels bring.
const (
	packedFolder   = "expfam"         // beside Python's other packages
	preparedFolder = "expfam_library" // the same of the wheel with the compiled library
	compilerName   = "expfam-cc"      // a script: Go's build cache knows the C compiler by this name
	zigEnv         = "EXPFAM_ZIG"     // the program that the script starts
)

// environment is a Python environment into which pip has installed this program, the library, Go and a C compiler. It
// may be closed to writing. What is written goes into a folder of the user's.
type environment struct {
	prefix   string // with bin, lib and share
	packages string // Python's packages, among them Go's and the compiler's
	caches   string // Go's and the compiler's caches, for all environments of the user
}

// here returns the environment of this program; ok is false if the program is of no wheel.
func here() (e environment, ok bool, err error) {
	if packed == "" {
		return e, false, nil
	}
	self, err := os.Executable()
	if err == nil {
		self, err = filepath.EvalSymlinks(self)
	}
	if err != nil {
		return e, true, err
	}
	e, err = environmentAt(filepath.Dir(filepath.Dir(self)), packed)
	if err == nil {
		e.caches, err = cachesDir()
	}
	return e, true, err
}

// environmentAt finds the packages of a version below a prefix. Several Pythons may share the prefix, as in ~/.local.
func environmentAt(prefix, version string) (e environment, err error) {
	err = fmt.Errorf("the library of expfam %s is not below %s: this program was moved out of its environment, so "+
		"install expfam anew where it is to be", version, prefix)
	for _, pattern := range []string{"lib*/python3*/site-packages", "lib*/python3*/dist-packages",
		"local/lib*/python3*/dist-packages", "."} {
		found, _ := filepath.Glob(filepath.Join(globEscape(prefix), pattern))
		for _, dir := range found {
			info := filepath.Join(dir, packedFolder+"-"+version+".dist-info", "METADATA")
			if _, errStat := os.Stat(info); errStat == nil {
				e = environment{prefix: prefix, packages: dir}
				if err = e.checkComplete(); err == nil {
					return e, nil
				}
			}
		}
	}
	return e, err
}

// globEscape returns a path as a pattern that matches it alone.
func globEscape(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// checkComplete returns an error if something is missing without which no cell compiles, or is of another version.
func (e environment) checkComplete() error {
	for _, part := range []struct{ name, version, file string }{
		{packedFolder, packed, "expfam/source/go.mod"}, {packedFolder, packed, "expfam/bin/gonb"},
		{goPackage, pinnedVersion(goPackage), "go/bin/go"},
		{goPackage, pinnedVersion(goPackage), "go/src/runtime/proc.go"},
		{zigPackage, pinnedVersion(zigPackage), "ziglang/zig"},
	} {
		mend := e.mend(part.name, part.version) + " mends that"
		file := filepath.Join(e.packages, filepath.FromSlash(part.file))
		if _, err := os.Stat(file); err != nil {
			return fmt.Errorf("%s is missing: %s", file, mend)
		}
		info := filepath.Join(e.packages, strings.ReplaceAll(part.name, "-", "_")+"-")
		if _, err := os.Stat(info + part.version + ".dist-info"); err != nil {
			other, _ := filepath.Glob(globEscape(info) + "*.dist-info")
			return fmt.Errorf("expfam %s needs %s %s, and this environment has %s: %s", packed, part.name, part.version,
				strings.Join(versions(info, other), ", "), mend)
		}
	}
	return nil
}

// versions returns the versions in names of folders that begin with a text.
func versions(before string, folders []string) (list []string) {
	for _, folder := range folders {
		list = append(list, strings.TrimSuffix(strings.TrimPrefix(folder, before), ".dist-info"))
	}
	if list == nil {
		return []string{"none"}
	}
	return list
}

func (e environment) own(names ...string) string {
	return filepath.Join(append([]string{e.packages, packedFolder}, names...)...)
}

func (e environment) source() string { return e.own("source") }
func (e environment) bin() string    { return e.own("bin") }

// share is the folder of the environment in which Jupyter looks for kernels and extensions.
func (e environment) share() string { return filepath.Join(e.prefix, "share", "jupyter") }

// prepared returns the folder with the compiled library, whether or not it is there.
func (e environment) prepared() string { return filepath.Join(e.packages, preparedFolder, "cache") }

func (e environment) isPrepared() bool {
	_, err := os.Stat(e.prepared())
	return err == nil
}

func (e environment) golang() string { return filepath.Join(e.packages, "go") }
func (e environment) zig() string    { return filepath.Join(e.packages, "ziglang", "zig") }

// python returns the environment's Python, for messages.
func (e environment) python() string {
	path := filepath.Join(e.prefix, "bin", "python")
	if _, err := os.Stat(path); err != nil {
		return "python3"
	}
	return path
}

// pip returns a call of the environment's pip, for messages.
func (e environment) pip(arguments string) string {
	return "`" + e.python() + " -m pip " + arguments + "`"
}

// mend returns the call that installs a package anew.
func (e environment) mend(name, version string) string {
	return e.pip("install --force-reinstall --no-deps " + name + "==" + version)
}

// cachesName is the folder of these caches below the user's.
const cachesName = "expfam-go"

// cachesDir returns the folder for all that is compiled in environments. Results are elsewhere, in the store.
func cachesDir() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("%w: set HOME to a folder that can be written", err)
	}
	return filepath.Join(dir, cachesName), nil
}

// variables returns the environment variables by which all that this program starts uses the environment's Go, compiler
// and engine, whatever else is on PATH. Variables of another toolchain, which conda and people set, are emptied,
// because packages that are compiled with them are other packages.
func (e environment) variables() map[string]string {
	set := map[string]string{
		"PATH": strings.Join([]string{filepath.Join(e.golang(), "bin"), e.bin(), os.Getenv("PATH")},
			string(os.PathListSeparator)),
		"GOROOT": e.golang(), "GOTOOLCHAIN": "local",
		"CC": compilerName, zigEnv: e.zig(), "CGO_ENABLED": "1",
		"GOCACHE":              filepath.Join(e.caches, "build"),
		"ZIG_GLOBAL_CACHE_DIR": filepath.Join(e.caches, "zig"), "ZIG_LOCAL_CACHE_DIR": filepath.Join(e.caches, "zig"),
	}
	for _, name := range []string{"GOFLAGS", "GOOS", "GOARCH", "GOAMD64", "GOARM64", "GOEXPERIMENT", "CGO_CFLAGS",
		"CGO_CPPFLAGS", "CGO_CXXFLAGS", "CGO_LDFLAGS"} {
		set[name] = ""
	}
	if library := e.onnx(); os.Getenv(onnxEnv) == "" && library != "" {
		set[onnxEnv] = library
	}
	if os.Getenv(pluginsEnv) == "" && e.xla() != "" {
		set[pluginsEnv] = filepath.Dir(e.xla())
	}
	if os.Getenv(echartsEnv) == "" {
		set[echartsEnv] = filepath.Join(e.share(), "labextensions", frontEndName, echartsFile)
	}
	return set
}

// use makes this process, and all that it starts, use the environment.
func (e environment) use() error {
	var err error
	for name, value := range e.variables() {
		err = errors.Join(err, os.Setenv(name, value))
	}
	return err
}

// onnx returns the path of ONNX Runtime; "" if the wheel has none for this system.
func (e environment) onnx() string {
	found, _ := filepath.Glob(filepath.Join(globEscape(e.own("lib")), "libonnxruntime*"))
	if len(found) == 0 {
		return ""
	}
	return found[0]
}

// xla returns the path of XLA's plugin, which the extra xla brings; "" if it is not there.
func (e environment) xla() string {
	if runtime.GOOS != "linux" {
		return ""
	}
	found, _ := filepath.Glob(filepath.Join(globEscape(e.packages), "*", xlaPlugin))
	if len(found) == 0 {
		found, _ = filepath.Glob(filepath.Join(globEscape(e.packages), "*", "*", xlaPlugin))
	}
	if len(found) == 0 {
		return ""
	}
	return found[0]
}
