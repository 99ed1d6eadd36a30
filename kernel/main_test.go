package main

import (
	"flag"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// The test binary is also the command under test: with this variable set it is `kernel`, as users start it.
const asKernel = "EXPFAM_TEST_AS_KERNEL"

func TestMain(m *testing.M) {
	if os.Getenv(asLab) != "" {
		os.Exit(fakeLab(os.Args[1:]))
	}
	if os.Getenv(asKernel) != "" {
		main()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestParseMixed(t *testing.T) {
	for _, c := range []struct {
		name    string
		args    string
		rest    string
		check   bool
		timeout time.Duration
	}{
		{"flags first", "-check -timeout 5s a.ipynb b.ipynb", "a.ipynb b.ipynb", true, 5 * time.Second},
		{"flags last", "a.ipynb -check", "a.ipynb", true, time.Minute},
		{"flags between", "a.ipynb -timeout=2s b.ipynb", "a.ipynb b.ipynb", false, 2 * time.Second},
		{"none", "", "", false, time.Minute},
	} {
		t.Run(c.name, func(t *testing.T) {
			flags := flag.NewFlagSet("", flag.ContinueOnError)
			check := flags.Bool("check", false, "")
			timeout := flags.Duration("timeout", time.Minute, "")
			rest, err := parseMixed(flags, strings.Fields(c.args))
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(rest, strings.Fields(c.rest)) || *check != c.check || *timeout != c.timeout {
				t.Errorf("got %q, check %v, timeout %v", rest, *check, *timeout)
			}
		})
	}
}
