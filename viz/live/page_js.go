package live

import (
	"syscall/js"

	"github.com/expfam/lab/viz/program"
	"github.com/janpfeifer/gonb/gonbui/protocol"
)

// page is the way to a page in whose worker the program runs.
type page struct{ js.Value }

// reader is the way to the page that runs this program; nil if none does.
func reader() wire {
	v := js.Global().Get("expfamPage")
	if !v.Truthy() {
		return nil
	}
	return page{v}
}

func (p page) show(data map[protocol.MIMEType]any) error {
	html, _ := data[protocol.MIMETextHTML].(string)
	p.Call("show", inert(html))
	return nil
}

// listen keeps the function for as long as the program runs, which is as long as
// the page may call it.
func (p page) listen(f func(string)) {
	p.Set("receive", js.FuncOf(func(_ js.Value, args []js.Value) any {
		f(args[0].String())
		return nil
	}))
}

func (p page) send(state, figure string) { p.Call("send", state, inert(figure)) }

// inert is HTML in which the data of figures stand for the page's own programs,
// whose content security policy runs no script of a figure.
func inert(html string) string {
	return program.Blocks(html, func(block string) string { return block })
}
