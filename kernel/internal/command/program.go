package command

import (
	"bytes"
	"os"
	"path/filepath"
)

// programCurrent reports whether the copy of this program that Jupyter starts is the same as this program.
func (in *installer) programCurrent() bool {
	own, err := ownProgram()
	if err != nil {
		return false
	}
	copied, err := os.ReadFile(filepath.Join(in.bin(), kernelProgram))
	return err == nil && bytes.Equal(own, copied)
}

func (in *installer) copyProgram() error {
	own, err := ownProgram()
	if err != nil {
		return err
	}
	temporary := filepath.Join(in.bin(), "."+kernelProgram)
	if err := os.WriteFile(temporary, own, 0o755); err != nil {
		return err
	}
	// a kernel that runs now goes on with the old one
	return os.Rename(temporary, filepath.Join(in.bin(), kernelProgram))
}

func ownProgram() ([]byte, error) {
	path, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}
