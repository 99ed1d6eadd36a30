package command

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
)

// parse parses the flags of a verb. A wrong one is an error of one sentence; -help lists them all on standard output.
func parse(flags *flag.FlagSet, args []string) error {
	flags.SetOutput(io.Discard)
	err := flags.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		flags.SetOutput(os.Stdout)
		flags.Usage()
		return err
	}
	if err != nil {
		return fmt.Errorf("%s: %w: %s lists the flags", flags.Name(), err, quoted(flags.Name()+" -help"))
	}
	return nil
}

// parseMixed parses flags that may stand before, between and after the arguments, and returns the arguments.
func parseMixed(flags *flag.FlagSet, args []string) ([]string, error) {
	var rest []string
	for {
		if err := parse(flags, args); err != nil {
			return nil, err
		}
		if flags.NArg() == 0 {
			return rest, nil
		}
		rest = append(rest, flags.Arg(0))
		args = flags.Args()[1:]
	}
}
