//go:build !js

package live

// reader is the way to a page that runs this program, which none does here.
func reader() wire { return nil }
