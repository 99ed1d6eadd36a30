package jupyter

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"time"
)

// Server is a command that runs under a supervisor, such as a Jupyter server.
type Server struct {
	leash io.Closer
	alive context.Context
	err   error
}

// StartServer starts a server by a supervisor, which has to call SuperviseServer. It runs in a process group of its
// own, so Ctrl-C in a terminal goes to this process only. The server and its kernels end with Stop, and also when this
// process ends for whatever reason.
func StartServer(spec Spec, out, errs io.Writer) (*Server, error) {
	return startUnder(spec, spec.Argv, out, errs)
}

// StartSupervised is StartServer for any command, with a supervisor that has to call Supervise. At the end, all that
// the command started ends as well, and the folder dir is removed.
func StartSupervised(spec Spec, dir string, out, errs io.Writer) (*Server, error) {
	return startUnder(spec, append([]string{dir}, spec.Argv...), out, errs)
}

func startUnder(spec Spec, argv []string, out, errs io.Writer) (*Server, error) {
	cmd := exec.Command(spec.Supervisor[0], slices.Concat(spec.Supervisor[1:], argv)...)
	cmd.Dir, cmd.Env = spec.Dir, environ(os.Environ(), spec.Env)
	cmd.Stdout, cmd.Stderr = out, errs
	cmd.WaitDelay = time.Second // for a grandchild that keeps the pipe of a log open
	detach(cmd)                 // Ctrl-C in a terminal goes to this process only, which then decides
	leash, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, fmt.Errorf("jupyter: starting %s: %w", spec.Argv[0], err)
	}
	s := &Server{leash: leash}
	var died func()
	s.alive, died = context.WithCancel(context.Background())
	go func() {
		s.err = cmd.Wait()
		died()
	}()
	return s, nil
}

// Alive ends when the server has ended.
func (s *Server) Alive() context.Context { return s.alive }

// Ended is closed when the server has ended.
func (s *Server) Ended() <-chan struct{} { return s.alive.Done() }

// Err waits until the server has ended, and returns the error with which it did.
func (s *Server) Err() error {
	<-s.Ended()
	return s.err
}

// Stop ends the server and its kernels and returns when they are gone.
func (s *Server) Stop() {
	s.leash.Close()
	<-s.Ended()
}

// EndKernel shuts down a server that is a kernel: it sends the client's shutdown request, waits up to two seconds while
// the kernel tidies up, and stops what is left. Without a client, which is nil, it only stops the kernel.
func (s *Server) EndKernel(c *Client) {
	if c != nil {
		ctx, cancel := context.WithTimeout(s.alive, 2*time.Second)
		defer cancel()
		c.Shutdown(ctx)
		<-ctx.Done()
		defer c.Close()
	}
	s.Stop()
}
