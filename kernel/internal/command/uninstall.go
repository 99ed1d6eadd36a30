package command

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// uninstall removes what install and lab made: the kernelspec with its tools, the front end of live controls, the
// private environment of JupyterLab, and ONNX Runtime, XLA and ECharts if install put them there. The caches of Go and
// pip stay, because other programs use them too.
func uninstall(out io.Writer) error {
	dir, err := specDir()
	if err != nil {
		return err
	}
	if err := removeLab(out); err != nil {
		return err
	}
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintln(out, "nothing is installed in", dir)
		return nil
	}
	rec := (&installer{dir: dir}).record()
	for _, p := range parts() {
		if err := p.remove(rec, out); err != nil {
			return err
		}
	}
	if err := removeFrontEnd(); err != nil {
		return err
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	fmt.Fprintln(out, "removed", dir)
	return nil
}
