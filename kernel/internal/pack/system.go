package pack

import (
	"bufio"
	"bytes"
	"go/build/constraint"
	"path"
	"slices"
	"strings"
)

// Systems and processors of Go, as its command `go tool dist list` has them.
var (
	goSystems = strings.Fields("aix android darwin dragonfly freebsd hurd illumos ios js linux nacl netbsd openbsd " +
		"plan9 solaris wasip1 windows zos")
	goProcessors = strings.Fields("386 amd64 amd64p32 arm armbe arm64 arm64be loong64 mips mipsle mips64 mips64le " +
		"mips64p32 mips64p32le ppc ppc64 ppc64le riscv riscv64 s390 s390x sparc sparc64 wasm")
)

// forSystem reports whether a file of a package may be compiled on a system such as linux/amd64: by its name, as in
// file_windows.go, and by its constraint, with whatever tags.
func forSystem(system, name string, data []byte) bool {
	goos, arch, _ := strings.Cut(system, "/")
	extension := path.Ext(name)
	if !slices.Contains([]string{".go", ".s", ".c", ".h", ".syso"}, extension) {
		return true
	}
	parts := strings.Split(strings.TrimSuffix(path.Base(name), extension), "_")[1:]
	if n := len(parts); n > 0 && slices.Contains(goProcessors, parts[n-1]) {
		if parts[n-1] != arch {
			return false
		}
		parts = parts[:n-1]
	}
	if n := len(parts); n > 0 && slices.Contains(goSystems, parts[n-1]) && parts[n-1] != goos {
		return false
	}
	for lines := bufio.NewScanner(bytes.NewReader(data)); lines.Scan(); {
		line := lines.Text()
		if strings.HasPrefix(line, "package ") {
			break
		}
		if !constraint.IsGoBuild(line) {
			continue
		}
		x, err := constraint.Parse(line)
		return err != nil || could(x, true, goos, arch)
	}
	return true
}

// could reports whether a constraint may have a value on a system. Tags that are no systems may be set or not.
func could(x constraint.Expr, value bool, goos, arch string) bool {
	switch x := x.(type) {
	case *constraint.NotExpr:
		return could(x.X, !value, goos, arch)
	case *constraint.AndExpr:
		a, b := could(x.X, value, goos, arch), could(x.Y, value, goos, arch)
		return a && b || !value && (a || b)
	case *constraint.OrExpr:
		a, b := could(x.X, value, goos, arch), could(x.Y, value, goos, arch)
		return a && b || value && (a || b)
	case *constraint.TagExpr:
		switch {
		case x.Tag == "unix":
			return value == (goos == "linux" || goos == "darwin")
		case slices.Contains(goSystems, x.Tag):
			return value == (x.Tag == goos)
		case slices.Contains(goProcessors, x.Tag):
			return value == (x.Tag == arch)
		}
	}
	return true
}
