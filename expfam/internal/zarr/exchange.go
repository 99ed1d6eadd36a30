package zarr

import (
	"errors"
	"os"
)

// inTwoSteps renames the old folder and then the new one. Between the two steps neither is at its place. A kill at this
// moment leaves both folders whole under temporary names.
func inTwoSteps(from, to string) error {
	aside := from + ".old"
	if err := os.Rename(to, aside); err != nil {
		return err
	}
	if err := os.Rename(from, to); err != nil {
		return errors.Join(err, os.Rename(aside, to))
	}
	return os.Rename(aside, from)
}
