package zmtp

import (
	"errors"
	"fmt"
	"net"
	"os"
	"syscall"
)

// listen opens a listener. A Unix socket is for its owner alone, and takes the place of one that nobody listens at: a
// killed process leaves its sockets behind.
func listen(network, address string) (net.Listener, error) {
	if network != "unix" {
		return net.Listen(network, address)
	}
	listener, err := net.Listen(network, address)
	if errors.Is(err, syscall.EADDRINUSE) {
		if conn, errDial := net.Dial(network, address); errDial == nil {
			conn.Close()
			return nil, err
		}
		if info, errStat := os.Lstat(address); errStat != nil || info.Mode()&os.ModeSocket == 0 {
			return nil, fmt.Errorf("%w: it is no socket", err)
		}
		if err := os.Remove(address); err != nil {
			return nil, err
		}
		listener, err = net.Listen(network, address)
	}
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(address, 0o600); err != nil {
		listener.Close()
		return nil, err
	}
	return listener, nil
}
