package pack

import (
	"testing"

	"github.com/expfam/lab/internal/must"
)

// What a file's name and its constraint say of systems decides, and other tags do not.
func TestForSystem(t *testing.T) {
	for _, c := range []struct {
		name, head string
		want       bool
	}{
		{"a.go", "package a", true}, {"a_linux.go", "", true}, {"a_windows.go", "", false},
		{"a_arm64.s", "", false},
		{"a_linux_amd64.go", "", true}, {"a_linux_s390x.h", "", false}, {"linux.go", "", true}, {"darwin.go", "", true},
		{"a_windows.txt", "", true}, {"a/b_netbsd/c.go", "", true},
		{"a_unix.go", "//go:build windows\npackage a", false},
		{"a.go", "// Text.\n\n//go:build (linux && amd64) || darwin\n\npackage a", true},
		{"a.go", "//go:build (linux && arm64) || darwin\npackage a", false},
		{"a.go", "//go:build !(onnx && noxla) && unix\npackage a", true}, {"a.go", "//go:build !linux || !cgo\n", true},
		{"a.go", "//go:build !linux && cgo\n", false}, {"a.go", "package a\n//go:build windows\n", true},
	} {
		must.Equal(t, forSystem("linux/amd64", c.name, []byte(c.head)), c.want, c.name, c.head)
	}
}
