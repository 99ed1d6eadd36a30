package command

import (
	"archive/zip"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/certify"
	"github.com/expfam/lab/internal/must"
)

// Draws that lie one standard deviation off are wrong.
func TestCertify(t *testing.T) {
	const draws = 400
	rng := expfam.Stream(1, "certify")
	var theta, slope []float64
	for range draws {
		v := rng.NormFloat64()
		theta, slope = append(theta, v+1), append(slope, -v-1) // of N(0, 1)
	}
	path := filepath.Join(t.TempDir(), "draws.npz")
	file := must.Get(os.Create(path))(t)
	archive := zip.NewWriter(file)
	for name, values := range map[string][]float64{"draws": theta, "gradients": slope} {
		const whole, before = 128, 10 // bytes of the header with what stands before it
		header := fmt.Sprintf("{'descr': '<f8', 'fortran_order': False, 'shape': (%d, 1), }", draws)
		out := fmt.Appendf([]byte("\x93NUMPY\x01\x00"), "\x76\x00%-*s\n", whole-before-1, header)
		for _, v := range values {
			out = binary.LittleEndian.AppendUint64(out, math.Float64bits(v))
		}
		must.Get(must.Get(archive.Create(name + ".npy"))(t).Write(out))(t)
	}
	must.Do(t, archive.Close())
	must.Do(t, file.Close())
	var err error
	text := captured(t, func() { err = certified(t.Context(), []string{"-json", path}) })
	var own statusError
	must.Be(t, errors.As(err, &own) && own.status == wrongStatus, "error %v", err)
	var r certify.Report
	must.Do(t, json.Unmarshal([]byte(text), &r))
	must.Be(t, r.Verdict == certify.Wrong && len(r.Parameters) == 1, "%v", &r)
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
