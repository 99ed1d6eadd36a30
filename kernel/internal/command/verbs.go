package command

import (
	"context"
	"flag"
	"fmt"
	"strings"
)

// verb is a subcommand.
type verb struct {
	name, args string // args as the usage shows them
	sentence   string // what it does
	do         func(context.Context, []string) error
}

// verbs returns the subcommands, in the order in which a person meets them.
func verbs() []verb {
	return []verb{
		{"install", "[-remove]", "puts the notebook kernel in place for Jupyter and for the verb run: its " +
			"programs, ONNX Runtime, ECharts, and the compiled library", install},
		{"run", "[flags] NOTEBOOK...", "executes notebooks without Jupyter, and writes their outputs and a page to " +
			"read beside each", run},
		{"lab", "[flags] [-- JupyterLab's own arguments]", "starts JupyterLab in the lessons' folder, outside of a " +
			"clone in this one, for this machine only; sets it up first if there is none", lab},
		{"site", "-out DIR NOTEBOOK...", "makes pages of notebooks for a server of files, with figures that are " +
			"live in them", sites},
		{"submit", "-shares N -out FOLDER [-on slurm|local|command] [flags] NOTEBOOK [-- sbatch's own flags, or the " +
			"command]", "executes a notebook N times on a cluster or on this machine, each time with another number, " +
			"waits for all, and merges what they leave", submit},
		{"certify", "[-json] [-figure FILE] [-rate P] [-strict] DRAWS", "says how far draws of any program are from " +
			"their posterior, by the gradients of its log density at them", certified},
		{"export", "[-out DIR] [-package NAME] NOTEBOOK", "writes the cells tagged export as a package of Go, and " +
			"those tagged example as its tests", export},
		{"slides", "[-out FILE] NOTEBOOK...", "writes slides of notebooks: the cells tagged slide and more, or else " +
			"the headings and the pictures", slides},
		{"grade", "[-out FILE] FOLDER", "executes the notebooks of a class, and writes one table of the exercises " +
			"that they check", grade},
		{"new", "[TEMPLATE [FOLDER]]", "copies a notebook to start from, with a small file in whose place yours " +
			"goes, into a folder; without arguments it lists them", newNotebook},
		{"doctor", "", "lists what notebooks need, what of it is on this machine, and what mends what isn't", doctor},
		{"vendor", "DIR", "writes the packages of Python from which pip installs all of this, JupyterLab included, " +
			"on a machine without a network", vendor},
		{"wheel", "-out DIR [-platform SYSTEM]", "builds these wheels for pip, in a clone of the repository", wheels},
		{"clean", "[-n] [-max SIZE | -all]", "shows the store of results, and makes it smaller; without -max and " +
			"-all it removes nothing", clean},
	}
}

// usage lists the verbs, each with its sentence.
func usage() string {
	var b strings.Builder
	b.WriteString("usage: expfam VERB [flags] [arguments]\n")
	for _, v := range verbs() {
		fmt.Fprintf(&b, "\n  expfam %s\n      %s\n", strings.TrimSpace(v.name+" "+v.args), v.sentence)
	}
	fmt.Fprintf(&b, "\n%s lists the flags of a verb.\n", quoted("VERB -h"))
	return b.String()
}

// newFlags returns the set of flags of a verb, whose help begins with the verb's sentence.
func newFlags(name string) *flag.FlagSet {
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	flags.Usage = func() {
		for _, v := range verbs() {
			if v.name == name {
				fmt.Fprintf(flags.Output(), "usage: expfam %s\n\nIt %s.\n", strings.TrimSpace(name+" "+v.args),
					v.sentence)
			}
		}
		first := true
		flags.VisitAll(func(*flag.Flag) {
			if first {
				fmt.Fprintln(flags.Output(), "\nflags:")
			}
			first = false
		})
		flags.PrintDefaults()
	}
	return flags
}
