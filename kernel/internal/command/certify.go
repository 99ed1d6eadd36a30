package command

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/expfam/lab/expfam/certify"
	"github.com/expfam/lab/internal/safefile"
)

// The exit status of certify for draws that are wrong, and with -strict for doubtful ones.
const (
	wrongStatus    = 3
	doubtfulStatus = 4
)

// statusError ends the process with a status of its own.
type statusError struct {
	status int
	error
}

// certified executes the verb certify: it compares draws with the posterior of their gradients.
func certified(ctx context.Context, args []string) error {
	flags := newFlags("certify")
	asJSON := flags.Bool("json", false, "write the certificate as JSON")
	figure := flags.String("figure", "", "also draw it into this file, .html, .svg, .png or .pdf; compiles the "+
		"program that draws at first")
	rate := flags.Float64("rate", 0.01, "the probability with which exact draws are called wrong")
	strict := flags.Bool("strict", false, fmt.Sprintf("end with status %d if the draws are doubtful; wrong ones "+
		"always end with %d", doubtfulStatus, wrongStatus))
	paths, err := parseMixed(flags, args)
	if err != nil {
		return err
	}
	if len(paths) != 1 {
		return errors.New("certify needs one file of draws and gradients: " + call("certify draws.npz"))
	}
	if !(*rate > 0 && *rate < 0.2) {
		return fmt.Errorf("certify -rate is a probability below .2, such as .01, not %v", *rate)
	}
	kinds := []string{".html", ".svg", ".png", ".pdf"}
	if kind := filepath.Ext(*figure); *figure != "" && !slices.Contains(kinds, kind) {
		return fmt.Errorf("certify -figure writes .html, .svg, .png or .pdf, not %q", kind)
	}
	draws, err := certify.Read(paths[0])
	if err != nil {
		return err
	}
	report, err := certify.Check(draws, certify.Options{Rate: *rate})
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(report, "", "  ")
	if err != nil {
		return err
	}
	if *asJSON {
		fmt.Printf("%s\n", text)
	} else {
		fmt.Print(report)
	}
	if *figure != "" {
		if err := drawCertificate(ctx, text, *figure); err != nil {
			return err
		}
	}
	switch {
	case report.Verdict == certify.Wrong:
		return statusError{wrongStatus, errors.New("certify: the draws are not those of the posterior")}
	case report.Verdict == certify.Doubtful && *strict:
		return statusError{doubtfulStatus, errors.New("certify: the draws are doubtful")}
	}
	return nil
}

// certificateProgram draws a certificate with the installed library, because package viz would make this command a
// third larger.
//
//go:embed certificate.go.txt
var certificateProgram string

// certifyModule is Python's module expfam.certify of the wheel.
//
//go:embed certify.py
var certifyModule []byte

// drawCertificate runs certificateProgram.
func drawCertificate(ctx context.Context, certificate []byte, path string) error {
	in, err := newInstaller(ctx, os.Stderr)
	if err != nil {
		return err
	}
	path, err = filepath.Abs(path)
	if err != nil {
		return err
	}
	dir, remove, err := safefile.Folder("", "expfam-certify-")
	if err != nil {
		return err
	}
	defer remove()
	program, data := filepath.Join(dir, "main.go"), filepath.Join(dir, "certificate.json")
	err = errors.Join(os.WriteFile(program, []byte(strings.TrimSpace(certificateProgram)+"\n"), 0o644),
		os.WriteFile(data, certificate, 0o644))
	if err != nil {
		return err
	}
	return execute(in.co.command(ctx, "", nil, "run", program, data, path))
}
