package cell

import (
	"fmt"
	"go/token"
	"strings"
)

// before returns the code in front of the expressions of a definition, in the program of another cell than the one that
// computed it. The code loads the values from their files, and computes them only if that fails.
func (r *record) before() string {
	var left, results, inner []string
	for i, name := range r.names {
		if name == "_" {
			inner = append(inner, "_")
			continue
		}
		result := fmt.Sprintf("main_r%d", i)
		left, results, inner = append(left, name), append(results, result+" "+r.types[i]), append(inner, result)
	}
	return fmt.Sprintf("var %s = func() (%s) { if main_load(%s) { return }; %s = ", strings.Join(left, ", "), strings.Join(results, ", "),
		r.arguments("main_r"), strings.Join(inner, ", "))
}

// after returns the code behind the expressions of a definition, which saves the values.
func (r *record) after(c *chunk) string {
	switch {
	case !c.own:
		return fmt.Sprintf("; main_save(%s); return }()", r.arguments("main_r"))
	case c.local || c.declared != "":
		return fmt.Sprintf("; main_save(%s)", r.arguments(""))
	}
	return fmt.Sprintf("\nfunc init() { main_save(%s) }", r.arguments(""))
}

// arguments returns the arguments of main_load and main_save: for each variable the name of its file and a pointer to
// it. With a prefix, the pointers are to the results that have the prefix and a number as names.
func (r *record) arguments(prefix string) string {
	var all []string
	for i, name := range r.names {
		if !token.IsIdentifier(name) || name == "_" {
			continue
		}
		variable := name
		if prefix != "" {
			variable = fmt.Sprintf("%s%d", prefix, i)
		}
		all = append(all, fmt.Sprintf("%q, &%s", r.key+"-"+name, variable))
	}
	return strings.Join(all, ", ")
}

// keepers returns the source of main_save and main_load, by which programs keep values in a folder. Their arguments are
// names of files and pointers to values by turns. A definition that ended with an error is not kept, nor is a value of
// more than 64 MiB.
func keepers(dir string) string {
	return fmt.Sprintf(`const main_values = %q

type main_limited struct {
	*main_os.File
	left int
}

func (w *main_limited) Write(p []byte) (int, error) {
	if w.left -= len(p); w.left < 0 {
		return 0, main_errors.New("too large to keep")
	}
	return w.File.Write(p)
}

func main_save(pairs ...any) {
	for i := 1; i < len(pairs); i += 2 {
		if err, is := pairs[i].(*error); is && *err != nil {
			return
		}
	}
	for i := 1; i < len(pairs); i += 2 {
		if _, is := pairs[i].(*error); is {
			continue
		}
		f, err := main_os.CreateTemp(main_values, "")
		if err != nil {
			return
		}
		err = main_gob.NewEncoder(&main_limited{f, 64 << 20}).Encode(pairs[i])
		f.Close()
		if err != nil {
			main_os.Remove(f.Name())
			return
		}
		main_os.Rename(f.Name(), main_values+"/"+pairs[i-1].(string))
	}
}

func main_load(pairs ...any) bool {
	for i := 1; i < len(pairs); i += 2 {
		if _, is := pairs[i].(*error); is {
			continue
		}
		f, err := main_os.Open(main_values + "/" + pairs[i-1].(string))
		if err != nil {
			return false
		}
		err = main_gob.NewDecoder(f).Decode(pairs[i])
		f.Close()
		if err != nil {
			return false
		}
	}
	return true
}

`, dir)
}
