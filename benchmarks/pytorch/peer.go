package main

import (
	"bufio"
	"context"
	_ "embed"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// unet is the program of the peer. It is part of this one, which may be started from any folder.
//
//go:embed unet.py
var unet string

// peer is a Python that waits for work.
type peer struct {
	version string
	process *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Scanner
}

func startPeer(ctx context.Context, python, folder string, threads int) (*peer, error) {
	p := &peer{process: exec.CommandContext(ctx, python, "-c", unet, folder, strconv.Itoa(threads))}
	p.process.Stderr = os.Stderr
	var err error
	if p.in, err = p.process.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.process.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = bufio.NewScanner(out)
	if err := p.process.Start(); err != nil {
		return nil, fmt.Errorf("%w; name a Python with -python", err)
	}
	p.version, err = p.line()
	return p, err
}

func (p *peer) line() (string, error) {
	if !p.out.Scan() {
		return "", fmt.Errorf("the Python program ended: %v; its messages are above", p.process.Wait())
	}
	return strings.TrimSpace(p.out.Text()), nil
}

// do has the peer do a piece of work, and returns the seconds that this took.
func (p *peer) do(kind string) (float64, error) {
	if _, err := fmt.Fprintln(p.in, kind); err != nil {
		return 0, err
	}
	line, err := p.line()
	if err != nil {
		return 0, err
	}
	return strconv.ParseFloat(line, 64)
}

func (p *peer) close() error {
	p.in.Close()
	return p.process.Wait()
}
