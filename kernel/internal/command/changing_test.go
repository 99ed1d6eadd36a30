package command

import "github.com/expfam/lab/kernel/internal/typed"

// changing is an hour in which cells change what other cells have defined, and act on the world, which they do once
// each. SERVER stands for the URL of a server that counts POSTs. The kernel is started anew before changingAgain.
var changing = []typed.Cell{
	{Name: "a number", Source: "x := 3"},
	{Name: "counted up", Source: "x++\nx", Want: "4\n"},
	{Name: "again", Source: "x++"},
	{Name: "has its last value", Source: "x", Want: "5\n"},
	{Name: "two change places", Source: "a, b := 1, 2\na, b = b, a"},
	{Name: "and back", Source: "a, b = b, a\nfmt.Println(a, b)", Want: "1 2\n"},
	{Name: "a sum", Source: "data := []float64{3, 1, 2}\ntotal := 0.0\nfor _, d := range data {\n\ttotal += d\n}"},
	{Name: "goes on", Source: "for _, d := range data {\n\ttotal += d\n}\ntotal", Want: "12\n"},
	{Name: "sorted", Source: "sort.Float64s(data)"},
	{Name: "stays sorted", Source: "data[0]", Want: "1\n"},
	{Name: "grows", Source: "data = append(data, 9)\ndata[1] = -2"},
	{Name: "has grown", Source: "len(data), data[1]", Want: "4 -2\n"},
	{Name: "has grown by one", Source: "fmt.Println(len(data), data[1])", Want: "4 -2\n"},
	{Name: "a mean of what was", Source: "mean := stat.Mean(data, nil)"},
	{Name: "changes nothing there", Source: "data[0] = 1000\nmean", Want: "2.75\n"},
	{Name: "text", Source: "s := \"a\"\ns += \"b\""},
	{Name: "longer", Source: "s += \"c\"\ns", Want: "abc\n"},
	{Name: "a map", Source: "m := map[string]int{\"a\": 1}"},
	{Name: "with another key", Source: "m[\"b\"] = 2\ndelete(m, \"a\")"},
	{Name: "keeps it", Source: "m", Want: "map[b:2]\n"},
	{Name: "a map of slices", Source: "groups := map[string][]int{}\nfor i := range 4 {\n\tk := []string{\"odd\", " +
		"\"even\"}[i%2]\n\tgroups[k] = append(groups[k], i)\n}"},
	{Name: "is there", Source: "groups[\"odd\"]", Want: "[0 2]\n"},
	{Name: "an alias", Source: "rows := [][]int{{1, 2}, {3, 4}}\nrow := rows[0]\nrow[0] = 7\nrows", Want: "[[7 2] [3 " +
		"4]]\n"},
	{Name: "in the next cell a copy", Source: "row[1] = 8\nfmt.Println(rows[0][1], row)", Want: "2 [7 8]\n"},
	{Name: "a pointer", Source: "n := 1\np := &n\n*p = 5\nn", Want: "5\n"},
	{Name: "is a copy too", Source: "*p = 6\nfmt.Println(n, *p)", Want: "5 6\n"},
	{Name: "a struct with its method", Source: "type account struct {\n\tname    string\n\tbalance int\n\tpast    " +
		"[]int\n}\nfunc (a *account) pay(n int) { a.balance += n; a.past = append(a.past, n) }\nacc := account{name: " +
		"\"A\"}"},
	{Name: "called", Source: "acc.pay(10)\nacc.pay(-3)"},
	{Name: "again, later", Source: "acc.pay(1)\nacc", Want: "{name:A balance:8 past:[10 -3 1]}\n"},
	{Name: "a tree", Source: "type tree struct {\n\tl, r *tree\n\tv    int\n}\nfunc (t *tree) put(v int) *tree " +
		"{\n\tif t == " +
		"nil {\n\t\treturn &tree{v: v}\n\t}\n\tif v < t.v {\n\t\tt.l = t.l.put(v)\n\t} else {\n\t\tt.r = " +
		"t.r.put(v)\n\t}\n\treturn t\n}\nvar root *tree\nfor _, v := range []int{5, 2, 8} {\n\troot = root.put(v)\n}"},
	{Name: "with another leaf", Source: "root = root.put(9)\nroot.r.r.v", Want: "9\n"},
	{Name: "that stays", Source: "root.r.r.v", Want: "9\n"},
	{Name: "a generator", Source: "rng := rand.New(rand.NewPCG(1, 2))\nu := rng.Float64()"},
	{Name: "goes on too", Source: "v := rng.Float64()\nu != v", Want: "true\n"},
	{Name: "a third", Source: "w := rng.Float64()\nw != u && w != v", Want: "true\n"},
	{Name: "a function changes what is outside", Source: "calls := 0\nfunc hit() { calls++ }\nhit()"},
	{Name: "in other cells", Source: "hit()\nhit()\ncalls", Want: "3\n"},
	{Name: "a closure does", Source: "score := 0\nwin := func() int { score += 2; return score }\nwin()", Want: "2\n"},
	{Name: "in other cells as well", Source: "win()", Want: "4\n"},
	{Name: "and its own variables begin anew", Source: "next := func() func() int { i := 0; return func() int { i++; " +
		"return i } }()\nnext()", Want: "1\n"},
	{Name: "which is said", Source: "next()", Want: "next of cell 40 begins anew here: the variables inside of a " +
		"function cannot be kept; define them in the cell, outside of the function, and they are\n1\n"},
	{Name: "a factor", Source: "k := 2.0\ntype scale struct {\n\tf func(float64) float64\n\tk float64\n}"},
	{Name: "in what is computed again", Source: "sc := scale{f: math.Sqrt, k: k}"},
	{Name: "changes later", Source: "k = 5"},
	{Name: "and not there", Source: "sc.k, k", Want: "2 5\n"},
	{Name: "a name of the library's package", Source: "gp := 4", Want: "gp is a variable in every cell from now on, " +
		"and the name of " +
		"a package: gp.Name means the package where the variable has no such name; %rm gp forgets the variable\n"},
	{Name: "hides nothing of it", Source: "gp.RBF{Cells: gp}", Want: "rbf(cells=4, variance=1, length=0.1)\n"},
	{Name: "a cell that fails", Source: "x = 50\npanic(\"no\")", Fails: "^panic: no"},
	{Name: "leaves what it did", Source: "x", Want: "50\n"},

	{Name: "a command", Source: "_, runErr := exec.Command(\"sh\", \"-c\", \"echo ran >>ran.txt; exit 3\").Output()"},
	{Name: "its error", Source: "runErr", Want: "exit status 3\n"},
	{Name: "ran once", Source: "string(expfam.Must(os.ReadFile(\"ran.txt\")))", Want: "ran\n\n"},
	{Name: "an order", Source: "type receipt struct{ id int }\nfunc order() receipt {\n\tr, err := " +
		"http.Post(\"SERVER\", \"text/plain\", nil)\n\tif err != nil " +
		"{\n\t\tpanic(err)\n\t}\n\tr.Body.Close()\n\treturn receipt{1}\n}\nr := order()"},
	{Name: "its receipt", Source: "r.id", Want: "1\n"},
	{Name: "an answer", Source: "resp, err := http.Post(\"SERVER\", \"text/plain\", nil)\nbody := " +
		"string(expfam.Must(io.ReadAll(resp.Body)))"},
	{Name: "its text", Source: "body", Want: "created 2\n"},
	{Name: "its error is nil", Source: "err == nil", Want: "true\n"},
	{Name: "is not asked for again", Source: "resp.Status", Fails: "^cell N, line 1: resp of cell 55 would be " +
		"computed again here, and http.Post called again\n.*\n.*\nit cannot be kept, because it holds an http.*: " +
		"take what you need of it in cell 55, in one expression or a function, as numbers, texts, slices or structs; " +
		"or call it again by %again resp$"},
	{Name: "but by its name", Source: "%again resp\nresp.StatusCode", Want: "200\n"},
	{Name: "results", Source: "f, err := os.Create(\"results.csv\")\nfmt.Fprintln(f, \"id,value\")"},
	{Name: "are not emptied", Source: "fmt.Fprintln(f, \"1,2\")", Fails: "f of cell 60 would be computed again here, " +
		"and os.Create called again"},
	{Name: "and are there", Source: "string(expfam.Must(os.ReadFile(\"results.csv\")))", Want: "id,value\n\n"},
	{Name: "a log of two cells", Source: "func note(line string) {\n\tf, _ := os.OpenFile(\"log.txt\", " +
		"os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)\n\tdefer f.Close()\n\tfmt.Fprintln(f, line)\n}\nnote(\"one\")"},
	{Name: "the other", Source: "note(\"two\")"},
	{Name: "has two lines", Source: "string(expfam.Must(os.ReadFile(\"log.txt\")))", Want: "one\ntwo\n\n"},
}

// changingAgain are cells of the same session, run when the kernel was started anew.
var changingAgain = []typed.Cell{
	{Name: "nothing is defined", Source: "total", Fails: "undefined: total"},
	{Name: "what was written is there", Source: "log := string(expfam.Must(os.ReadFile(\"log.txt\")))\nlog",
		Want: "log hides the package log in every cell from now on: give it another name, or forget it with %rm log\n" +
			"one\ntwo\n\n"},
	{Name: "defined anew", Source: "total := 1.5"},
	{Name: "changes", Source: "total *= 2"},
	{Name: "as before", Source: "total", Want: "3\n"},
}

// changingPosts is how often the session posts.
const changingPosts = 3
