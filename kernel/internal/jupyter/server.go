package jupyter

import (
	"fmt"
	"io"
	"os"
	"os/exec"
)

// Server is a command that runs under a supervisor, such as a Jupyter server.
type Server struct {
	leash io.Closer
	ended chan struct{}
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
	cmd := exec.Command(spec.Supervisor[0], append(append([]string{}, spec.Supervisor[1:]...), argv...)...)
	cmd.Dir, cmd.Env = spec.Dir, environ(os.Environ(), spec.Env)
	cmd.Stdout, cmd.Stderr = out, errs
	detach(cmd)
	leash, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, fmt.Errorf("jupyter: starting %s: %w", spec.Argv[0], err)
	}
	s := &Server{leash: leash, ended: make(chan struct{})}
	go func() {
		s.err = cmd.Wait()
		close(s.ended)
	}()
	return s, nil
}

// Ended is closed when the server has ended.
func (s *Server) Ended() <-chan struct{} { return s.ended }

// Err waits until the server has ended, and returns the error with which it did.
func (s *Server) Err() error {
	<-s.ended
	return s.err
}

// Stop ends the server and its kernels and returns when they are gone.
func (s *Server) Stop() {
	s.leash.Close()
	<-s.ended
}
