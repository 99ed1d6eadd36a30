//go:build !js

package live

// reader returns nil, because outside of a browser no page runs this program.
func reader() wire { return nil }
