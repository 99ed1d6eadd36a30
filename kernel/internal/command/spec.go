package command

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/expfam/lab/kernel/internal/front"
)

const (
	kernelName  = "expfam"
	displayName = "expfam (Go)"
)

// spec is the content of a kernel.json.
type spec struct {
	Argv          []string          `json:"argv"`
	DisplayName   string            `json:"display_name"`
	Language      string            `json:"language"`
	InterruptMode string            `json:"interrupt_mode"`
	Env           map[string]string `json:"env"`
}

// compileFlags are the compiler's flags for cells and for the tools. Because they are the same for both, the packages
// that both need, most of Go's standard library among them, are compiled once.
const compileFlags = "-gcflags=all=" + front.CompilerFlags

// cellFlags returns the flags with which the go command builds cells.
func cellFlags() string {
	flags := `-buildvcs=false "-ldflags=` + front.LinkerFlags + `" ` + compileFlags
	if packed != "" { // what was compiled in one environment serves in all
		flags += " -trimpath"
	}
	if len(plugins()) == 0 {
		flags += " -tags=noxla"
	}
	return flags
}

const frontVerb = "front" // the verb by which Jupyter starts the kernel

var kernelProgram = executable("expfam") // this program's copy among the tools

// executable returns the name of a program's file.
func executable(name string) string {
	if runtime.GOOS == "windows" {
		return name + ".exe"
	}
	return name
}

// newSpec returns the kernelspec for a checkout. Cells find the library and all that it depends on in the checkout,
// through a workspace that GoNB makes. GOPROXY=off keeps GoNB's `go get` before every cell from asking the network.
func newSpec(co checkout, env goEnv, bin string) spec {
	path := []string{bin, "${PATH}", filepath.Join(env.GOROOT, "bin")}
	for _, dir := range filepath.SplitList(env.GOPATH)[:min(1, len(filepath.SplitList(env.GOPATH)))] {
		path = append(path, filepath.Join(dir, "bin"))
	}
	program := filepath.Join(bin, kernelProgram)
	if self, err := os.Executable(); err == nil && packed != "" { // no copy is needed of what pip has installed
		program = self
	}
	return spec{
		Argv: []string{program, frontVerb, "{connection_file}",
			filepath.Join(bin, executable("gonb")), "-go_work=" + co.dir},
		DisplayName:   displayName,
		Language:      "go",
		InterruptMode: "message",
		Env: map[string]string{
			"GOFLAGS":               cellFlags(),
			"GOPROXY":               "off",
			"GOWORK":                "",
			"GOMLX_NO_AUTO_INSTALL": "1",
			"PATH":                  strings.Join(path, string(os.PathListSeparator)),
		},
	}
}

func (s spec) bytes() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(s)
	return b.Bytes(), err
}

// dataDir returns where Jupyter keeps this user's kernels, or those of the environment of pip.
func dataDir() (string, error) {
	if e, ofPip, err := here(); ofPip {
		return e.share(), err
	}
	if dir := os.Getenv("JUPYTER_DATA_DIR"); dir != "" {
		return filepath.Abs(dir)
	}
	if dir := os.Getenv("APPDATA"); runtime.GOOS == "windows" && dir != "" {
		return filepath.Join(dir, "jupyter"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("%w: set HOME or JUPYTER_DATA_DIR", err)
	}
	if runtime.GOOS == "darwin" {
		return filepath.Join(home, "Library", "Jupyter"), nil
	}
	if dir := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "jupyter"), nil
	}
	return filepath.Join(home, ".local", "share", "jupyter"), nil
}

// plugins returns the XLA (PJRT) plugins in the places where GoMLX looks for them.
func plugins() []string {
	dirs := filepath.SplitList(os.Getenv("PJRT_PLUGIN_LIBRARY_PATH"))
	if len(dirs) == 0 {
		roots := []string{"/usr/local/lib"}
		if home, err := os.UserHomeDir(); err == nil {
			roots = append(roots, filepath.Join(home, ".local", "lib"))
		}
		for _, root := range roots {
			dirs = append(dirs, filepath.Join(root, "go-xla"), filepath.Join(root, "go-xla", "nvidia"),
				filepath.Join(root, "gomlx", "pjrt"))
		}
		dirs = append(dirs, filepath.SplitList(os.Getenv("LD_LIBRARY_PATH"))...)
	}
	var found []string
	for _, dir := range dirs {
		for _, pattern := range []string{"pjrt_c_api_*_plugin", "pjrt[-_]plugin[-_]*"} {
			for _, suffix := range []string{".so", ".dylib"} {
				matches, _ := filepath.Glob(filepath.Join(dir, pattern+suffix))
				found = append(found, matches...)
			}
		}
	}
	return found
}
