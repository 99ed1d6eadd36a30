//go:build !linux

package zarr

// exchange swaps two folders, in two steps.
func exchange(from, to string) error { return inTwoSteps(from, to) }
