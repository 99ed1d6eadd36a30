package wasm

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// fontModule is the module of the twelve fonts that gonum/plot brings into every program. They would be a third of what
// a page fetches.
const fontModule = "codeberg.org/go-fonts/liberation"

// fonts writes a copy of fontModule below work, in which the two fonts that figures use stand under all twelve names.
// It returns the text that go.mod needs for this copy. A page gets figures as SVG, in which the browser draws the
// letters: the fonts only say how wide the letters are.
func fonts(ctx context.Context, checkout, work string) (replace string, err error) {
	from, err := output(ctx, checkout, "list", "-m", "-f", "{{.Dir}}", fontModule)
	if err != nil {
		return "", err
	}
	dir := filepath.Join(work, "fonts")
	put := func(path, text string) {
		if err == nil {
			err = os.MkdirAll(filepath.Dir(path), 0o700)
		}
		if err == nil {
			err = os.WriteFile(path, []byte(text), 0o600)
		}
	}
	read := func(path string) string {
		data, errRead := os.ReadFile(path)
		if err == nil {
			err = errRead
		}
		return string(data)
	}
	put(filepath.Join(dir, "go.mod"), "module "+fontModule+"\n\ngo 1.24\n")
	for _, kind := range []string{"sans", "serif", "mono"} {
		for _, style := range []string{"regular", "bold", "italic", "bolditalic"} {
			name, stands := "liberation"+kind+style, "liberationsansregular"
			if strings.HasPrefix(style, "bold") {
				stands = "liberationsansbold"
			}
			text := fmt.Sprintf("package %s\n\nimport %q\n\nvar TTF = %s.TTF\n", name, fontModule+"/"+stands, stands)
			if name == stands {
				file := map[string]string{"regular": "LiberationSans-Regular.ttf",
					"bold": "LiberationSans-Bold.ttf"}[style]
				put(filepath.Join(dir, name, file), outlineless(read(filepath.Join(from, name, file))))
				text = fmt.Sprintf("package %s\n\nimport _ \"embed\"\n\n//go:embed %s\nvar TTF []byte\n", name, file)
			}
			put(filepath.Join(dir, name, "font.go"), text)
		}
	}
	return fmt.Sprintf("\nreplace %s => %s\n", fontModule, dir), err
}

// outlineless returns a TrueType font with empty letters: its table of outlines holds zeros, which compress to nothing.
// The directory of tables begins at byte 12 with records of 16 bytes: tag, checksum, offset, length (OpenType 1.9,
// "Organization of an OpenType Font").
func outlineless(font string) string {
	data := []byte(font)
	for at := 12; at+16 <= len(data) && at < 12+16*int(binary.BigEndian.Uint16(data[4:])); at += 16 {
		from, size := binary.BigEndian.Uint32(data[at+8:]), binary.BigEndian.Uint32(data[at+12:])
		if string(data[at:at+4]) == "glyf" && uint64(from)+uint64(size) <= uint64(len(data)) {
			clear(data[from : from+size])
		}
	}
	return string(data)
}
