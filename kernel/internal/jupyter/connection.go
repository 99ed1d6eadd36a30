package jupyter

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
)

// Connection is the content of a connection file, from which a kernel learns where to listen and how to sign.
type Connection struct {
	Transport       string `json:"transport"` // ipc or tcp
	IP              string `json:"ip"`        // ipc: path prefix of the sockets; tcp: address
	ShellPort       int    `json:"shell_port"`
	IOPubPort       int    `json:"iopub_port"`
	StdinPort       int    `json:"stdin_port"`
	ControlPort     int    `json:"control_port"`
	HeartbeatPort   int    `json:"hb_port"`
	Key             string `json:"key"`
	SignatureScheme string `json:"signature_scheme"`
	KernelName      string `json:"kernel_name"`
}

// MaxSocketPath is the longest path of a Unix socket that Linux (108) and macOS (104) both take, less the final NUL.
const MaxSocketPath = 103

// NewConnection makes a connection over Unix sockets in a private folder. Unlike TCP ports, which are only free until
// somebody else takes them before the kernel does, their names can't collide, and no other user can reach them. On
// Windows it takes ports of this machine, because ZeroMQ has no Unix sockets there.
func NewConnection(dir string) (Connection, error) {
	c := Connection{
		Transport: "ipc", IP: filepath.Join(dir, "k"),
		ShellPort: 1, IOPubPort: 2, StdinPort: 3, ControlPort: 4, HeartbeatPort: 5,
		Key: newID(), SignatureScheme: "hmac-sha256", KernelName: "expfam",
	}
	if runtime.GOOS == "windows" {
		return c.overTCP()
	}
	if n := len(c.IP) + len("-1"); n > MaxSocketPath {
		return c, fmt.Errorf("jupyter: socket path %s-1 is %d bytes long, %d at most: set TMPDIR to a shorter path",
			c.IP, n, MaxSocketPath)
	}
	return c, nil
}

// overTCP returns the connection over five ports that are free now.
func (c Connection) overTCP() (Connection, error) {
	c.Transport, c.IP = "tcp", "127.0.0.1"
	for _, port := range []*int{&c.ShellPort, &c.IOPubPort, &c.StdinPort, &c.ControlPort, &c.HeartbeatPort} {
		l, err := net.Listen("tcp", net.JoinHostPort(c.IP, "0"))
		if err != nil {
			return c, fmt.Errorf("jupyter: no port of this machine is free: %w", err)
		}
		defer l.Close() // when all five are found, so that they differ
		*port = l.Addr().(*net.TCPAddr).Port
	}
	return c, nil
}

// Endpoint returns the ZeroMQ address of the channel with the given port number.
func (c Connection) Endpoint(port int) string {
	if c.Transport == "ipc" {
		return fmt.Sprintf("ipc://%s-%d", c.IP, port)
	}
	return fmt.Sprintf("%s://%s:%d", c.Transport, c.IP, port)
}

// address returns the network and the address of the channel with the given port number, in the words of package net.
func (c Connection) address(port int) (network, address string) {
	if c.Transport == "ipc" {
		return "unix", fmt.Sprintf("%s-%d", c.IP, port)
	}
	ip := c.IP
	if ip == "*" { // ZeroMQ's word for all interfaces
		ip = ""
	}
	return c.Transport, net.JoinHostPort(ip, strconv.Itoa(port))
}

// Write writes the connection file into the folder, readable by its owner only, and returns its path. The name carries
// a UUID in Jupyter's form, from which kernels read their own id.
func (c Connection) Write(dir string) (string, error) {
	path := filepath.Join(dir, "kernel-"+newID()+".json")
	return path, c.WriteFile(path)
}

// WriteFile writes the connection file under a name.
func (c Connection) WriteFile(path string) error {
	data, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return fmt.Errorf("jupyter: %w", err)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		return fmt.Errorf("jupyter: %w", err)
	}
	return nil
}

// ReadConnection reads a connection file.
func ReadConnection(path string) (c Connection, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return c, fmt.Errorf("jupyter: %w", err)
	}
	if err := json.Unmarshal(data, &c); err != nil {
		return c, fmt.Errorf("jupyter: connection file %s: %w", path, err)
	}
	if c.Transport != "tcp" && c.Transport != "ipc" {
		return c, fmt.Errorf("jupyter: connection file %s: the transport %q is not supported: configure tcp or ipc",
			path, c.Transport)
	}
	if n := len(c.IP) + len("-1"); c.Transport == "ipc" && n > MaxSocketPath {
		return c, fmt.Errorf("jupyter: socket path %s-1 is %d bytes long, %d at most: set JUPYTER_RUNTIME_DIR to a "+
			"folder with a shorter path", c.IP, n, MaxSocketPath)
	}
	if c.SignatureScheme != "hmac-sha256" && c.Key != "" {
		return c, fmt.Errorf("jupyter: connection file %s: signatures by %q are not supported: configure hmac-sha256",
			path, c.SignatureScheme)
	}
	return c, nil
}
