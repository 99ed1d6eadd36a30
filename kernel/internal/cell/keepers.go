package cell

import (
	"fmt"
	"go/token"
	"strings"
)

// before is what stands before the expressions of a definition in another cell's program: its values come from the files if they can.
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

// after is what stands behind the expressions.
func (r *record) after(c *chunk) string {
	switch {
	case !c.own:
		return fmt.Sprintf("; main_save(%s); return }()", r.arguments("main_r"))
	case c.local || c.declared != "":
		return fmt.Sprintf("; main_save(%s)", r.arguments(""))
	}
	return fmt.Sprintf("\nfunc init() { main_save(%s) }", r.arguments(""))
}

// arguments are those of main_load and main_save: files and pointers, of results by number if there is a prefix for their names.
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

// keepers are the functions by which programs keep values in a folder. They take the names of files and pointers to values by turns.
// A definition that ended with an error is not kept, nor is one of more than 64 MB.
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
