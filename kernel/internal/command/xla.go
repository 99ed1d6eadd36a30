package command

import (
	"context"
	"debug/elf"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// xlaPart is XLA for processors, a plugin that GoMLX opens. It is for correctness, not for speed.
var xlaPart = part{name: "XLA for processors", line: "engine xla", pin: xlaPackage, flag: " -xla",
	after: "; GOMLX_BACKEND=xla:cpu chooses it", files: []member{{xlaPlugin, xlaPlugin}}, path: xlaPath,
	usable: func(path string) (string, error) { return "", xlaUsable(path) }}

func init() { xlaPart.check = checkXLA } // it names the part

const (
	xlaPlugin  = "pjrt_c_api_cpu_plugin.so" // the plugin in the package, and its name where GoMLX looks
	pluginsEnv = "PJRT_PLUGIN_LIBRARY_PATH"
)

// xlaPath returns where install puts the plugin: the first folder that the environment names, else where GoMLX looks by
// itself.
func xlaPath() (string, error) {
	if dirs := filepath.SplitList(os.Getenv(pluginsEnv)); len(dirs) > 0 {
		return filepath.Join(dirs[0], xlaPlugin), nil
	}
	home, err := os.UserHomeDir()
	return filepath.Join(home, ".local", "lib", "go-xla", xlaPlugin), err
}

// xlaUsable returns an error if the file is no plugin of PJRT. It does not load the file.
func xlaUsable(path string) error {
	f, err := elf.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	symbols, err := f.DynamicSymbols()
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if !slices.ContainsFunc(symbols, func(s elf.Symbol) bool {
		return s.Name == "GetPjrtApi" && s.Section != elf.SHN_UNDEF
	}) {
		return fmt.Errorf("%s is no plugin of XLA: it has no GetPjrtApi", path)
	}
	return nil
}

// checkXLA returns the doctor's line about plugins of XLA.
func checkXLA(_ context.Context, in *installer) finding {
	f := finding{name: "engine xla", remedy: "no PJRT plugin found: " + quoted("install -xla") + " for processors, " +
		"`go run github.com/gomlx/go-xla/cmd/pjrt_installer@latest` for GPUs"}
	if in.pip != nil {
		f.remedy = in.pip.pip("install 'expfam[xla]'") + " brings it for processors, on Linux on x86-64"
	}
	was, w := in.record().Parts[xlaPart.name], pinnedVersion(xlaPackage)
	var found []string
	for _, plugin := range plugins() {
		text := plugin
		if plugin == was.Path {
			if was.Version != w {
				f.remedy = fmt.Sprintf("%s (%s is installed, %s is wanted)", quoted("install -xla"), was.Version, w)
				return f
			}
			text = fmt.Sprintf("for processors, of %s %s  %s", xlaPackage, w, plugin)
		}
		if err := xlaUsable(plugin); err != nil && strings.HasSuffix(plugin, ".so") {
			f.remedy = fmt.Sprintf("%v: remove it", err)
			return f
		}
		found = append(found, text)
	}
	if len(found) > 0 {
		f.detail, f.remedy = strings.Join(found, "  "), ""
	}
	return f
}
