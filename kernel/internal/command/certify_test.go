package command

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/expfam/lab/expfam/certify"
	"github.com/expfam/lab/internal/must"
)

// The draws of expfam/certify's test, 0, 1, 2, … with the gradients 0, −1, −2, …, are far from any posterior of these.
func TestCertify(t *testing.T) {
	path := filepath.Join("..", "..", "..", "expfam", "certify", "testdata", "draws.npz")
	var err error
	text := captured(t, func() { err = certified(t.Context(), []string{"-json", path}) })
	var own statusError
	must.Be(t, errors.As(err, &own) && own.status == wrongStatus, "error %v", err)
	var r certify.Report
	must.Do(t, json.Unmarshal([]byte(text), &r))
	must.Be(t, r.Verdict == certify.Wrong && r.Parameters[0].Name == "α", "%v", &r)
	for _, c := range []struct{ args, want string }{
		{"", "needs one file"}, {"-rate 2 " + path, "a probability below .2"},
		{"-figure a.gif " + path, "writes .html"}, {"none.npz", "no such file"},
	} {
		must.Be(t, strings.Contains(certified(t.Context(), strings.Fields(c.args)).Error(), c.want), "%s", c.args)
	}
}

// The program that draws a certificate compiles with the library of the clone, and writes a figure.
func TestCertificateFigure(t *testing.T) {
	r := certify.Report{Verdict: certify.Agrees, Parameters: []certify.Parameter{{Name: "μ & σ", Shift: 0.1,
		ShiftSE: 0.1, Width: 1, WidthSE: 0.1}, {Name: "beta", ShiftSE: 0.1, Width: 1.1, WidthSE: 0.1}}}
	path := filepath.Join(t.TempDir(), "a figure.svg")
	must.Do(t, drawCertificate(context.Background(), must.Get(json.Marshal(r))(t), path))
	svg := string(must.Get(os.ReadFile(path))(t))
	must.Be(t, strings.Contains(svg, "<svg") && strings.Contains(svg, "parameter"), "%.200s", svg)
}

// captured returns what a function prints.
func captured(t *testing.T, f func()) string {
	t.Helper()
	out := os.Stdout
	file := must.Get(os.Create(filepath.Join(t.TempDir(), "stdout")))(t)
	os.Stdout = file
	defer func() { os.Stdout = out }()
	f()
	must.Do(t, file.Close())
	return string(must.Get(os.ReadFile(file.Name()))(t))
}
