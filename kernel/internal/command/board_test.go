package command

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-zeromq/zmq4"

	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
	"github.com/expfam/lab/kernel/internal/jupyter"
)

// wire is a front end that sees each message on the sockets of a kernel.
type wire struct {
	t                              *testing.T
	conn                           jupyter.Connection
	shell, control, stdin, heart   zmq4.Socket
	said                           chan jupyter.Message // on IOPub
	replies, controlled, questions chan jupyter.Message
	info                           map[string]any // of kernel_info_reply
	last                           ran            // the last cell
}

// connect makes a front end of five sockets, IOPub first.
func connect(t *testing.T, conn jupyter.Connection) *wire {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	id := zmq4.WithID(zmq4.SocketIdentity(fmt.Sprint("board ", typedCells.Add(1))))
	w := &wire{t: t, conn: conn, shell: zmq4.NewDealer(ctx, id), control: zmq4.NewDealer(ctx, id),
		stdin: zmq4.NewDealer(ctx, id), heart: zmq4.NewReq(ctx)}
	iopub := zmq4.NewSub(ctx)
	must.Do(t, iopub.SetOption(zmq4.OptionSubscribe, ""))
	for _, c := range []struct {
		socket zmq4.Socket
		port   int
		to     *chan jupyter.Message
	}{{iopub, conn.IOPubPort, &w.said}, {w.shell, conn.ShellPort, &w.replies}, {w.stdin, conn.StdinPort, &w.questions},
		{w.control, conn.ControlPort, &w.controlled}, {w.heart, conn.HeartbeatPort, nil}} {
		must.Do(t, c.socket.Dial(conn.Endpoint(c.port)))
		t.Cleanup(func() { c.socket.Close() })
		if c.to == nil {
			continue
		}
		all := make(chan jupyter.Message, 1000)
		*c.to = all
		go func() {
			for {
				m, err := c.socket.Recv()
				if err != nil {
					return
				}
				if m, err := jupyter.ParseFrames(m.Frames, []byte(conn.Key)); err == nil {
					all <- m
				}
			}
		}()
	}
	return w
}

// send sends a message on a socket and returns its id. parent is the message that it answers, or nil.
func (w *wire) send(socket zmq4.Socket, kind string, content any, parent *jupyter.Message) string {
	m := must.Get(jupyter.NewMessage("board", kind, content))(w.t)
	if parent != nil {
		m.Parent = parent.Header
	}
	frames := must.Get(m.Frames([]byte(w.conn.Key)))(w.t)
	must.Do(w.t, socket.SendMulti(zmq4.NewMsgFrom(frames...)))
	return m.Header.ID
}

// next waits for the next message, and returns it with its content.
func (w *wire) next(from <-chan jupyter.Message) (jupyter.Message, map[string]any) {
	w.t.Helper()
	select {
	case m := <-from:
		var content map[string]any
		must.Do(w.t, json.Unmarshal(m.Content, &content))
		return m, content
	case <-time.After(cellLimit):
		w.t.Fatal("no message came")
		panic(nil)
	}
}

// ask sends a request and returns the type and the content of the reply on the same socket.
func (w *wire) ask(kind string, content any) (string, map[string]any) {
	w.t.Helper()
	socket, from := w.shell, w.replies
	if kind == "interrupt_request" || kind == "shutdown_request" {
		socket, from = w.control, w.controlled
	}
	w.send(socket, kind, content, nil)
	m, answer := w.next(from)
	return m.Header.Type, answer
}

// ran is what comes of a cell: its reply, and what is published because of it, up to the state idle.
type ran struct {
	reply     map[string]any
	header    jupyter.Message
	id        string
	published []jupyter.Message
	asked     []map[string]any // requests for input
}

// run executes code, and answers each request for input.
func (w *wire) run(code, answer string) (r ran) {
	w.t.Helper()
	r.id = w.send(w.shell, "execute_request", map[string]any{"code": code, "silent": false, "store_history": true,
		"user_expressions": map[string]any{}, "allow_stdin": answer != "", "stop_on_error": true}, nil)
	for idle := false; !idle; {
		select {
		case m := <-w.questions:
			var content map[string]any
			must.Do(w.t, json.Unmarshal(m.Content, &content))
			r.asked = append(r.asked, content)
			w.send(w.stdin, "input_reply", map[string]any{"value": answer, "status": "ok"}, &m)
		case m := <-w.said:
			if m.Parent.ID == r.id {
				r.published = append(r.published, m)
				idle = m.Header.Type == "status" && strings.Contains(string(m.Content), `"idle"`)
			}
		case <-time.After(cellLimit):
			w.t.Fatalf("no end of %s", code)
		}
	}
	r.header, r.reply = w.next(w.replies)
	w.last = r
	return r
}

// has reports whether a message of a type was published whose content has a text.
func (r ran) has(kind, text string) bool {
	return slices.ContainsFunc(r.published, func(m jupyter.Message) bool {
		return m.Header.Type == kind && strings.Contains(string(m.Content), text)
	})
}

const gonbui = "import \"github.com/janpfeifer/gonb/gonbui\"\n"

// board are the conditions of the public board of kernels (https://github.com/runtimed/kernel-testbed, its tests as of
// January 2026), in its order and by its names. Each is at least as strict as there.
var board = []struct {
	name  string
	holds func(w *wire) bool
}{
	{"heartbeat_responds", func(w *wire) bool {
		must.Do(w.t, w.heart.Send(zmq4.NewMsgString("ping")))
		return string(must.Get(w.heart.Recv())(w.t).Bytes()) == "ping"
	}},
	{"kernel_info_reply_valid", func(w *wire) bool {
		kind, info := w.ask("kernel_info_request", map[string]any{})
		w.info = info
		return kind == "kernel_info_reply" && info["status"] == "ok"
	}},
	{"kernel_info_has_language_info", func(w *wire) bool {
		return w.info["language_info"].(map[string]any)["name"] == "go"
	}},
	{"kernel_info_has_protocol_version", func(w *wire) bool { return w.info["protocol_version"] == jupyter.Version }},
	{"execute_stdout", func(w *wire) bool {
		r := w.run(`fmt.Println("hello")`, "")
		return r.has("stream", `"stdout"`) && r.has("stream", "hello")
	}},
	{"execute_stderr", func(w *wire) bool {
		r := w.run(`fmt.Fprintln(os.Stderr, "error")`, "")
		return r.has("stream", `"stderr"`) && r.has("stream", "error")
	}},
	{"execute_reply_ok", func(w *wire) bool {
		r := w.run("x := 1", "")
		return r.header.Header.Type == "execute_reply" && r.reply["status"] == "ok"
	}},
	{"status_busy_idle_lifecycle", func(w *wire) bool {
		r := w.run("x := 1", "")
		return strings.Contains(string(r.published[0].Content), `"busy"`) && r.has("status", `"idle"`)
	}},
	{"execute_input_broadcast", func(w *wire) bool {
		r := w.run("x := 1", "")
		return r.has("execute_input", "x := 1")
	}},
	{"complete_request", func(w *wire) bool {
		w.run("testVariableForCompletion := 42", "")
		kind, found := w.ask("complete_request", map[string]any{"code": "testVariableFor", "cursor_pos": 15})
		return kind == "complete_reply" && found["status"] == "ok" &&
			fmt.Sprint(found["matches"]) == "[testVariableForCompletion]"
	}},
	{"inspect_request", func(w *wire) bool {
		kind, found := w.ask("inspect_request", map[string]any{"code": "testVariableForCompletion", "cursor_pos": 25,
			"detail_level": 0})
		return kind == "inspect_reply" && found["status"] == "ok" && found["found"] == true
	}},
	{"is_complete_complete", func(w *wire) bool {
		_, answer := w.ask("is_complete_request", map[string]any{"code": "x := 1"})
		return answer["status"] == "complete"
	}},
	{"is_complete_incomplete", func(w *wire) bool {
		_, answer := w.ask("is_complete_request", map[string]any{"code": "func foo("})
		return answer["status"] == "incomplete"
	}},
	{"history_request", func(w *wire) bool {
		kind, answer := w.ask("history_request", map[string]any{"hist_access_type": "tail", "n": 10, "output": false,
			"raw": true})
		return kind == "history_reply" && answer["status"] == "ok" && len(answer["history"].([]any)) > 0
	}},
	{"comm_info_request", func(w *wire) bool {
		kind, answer := w.ask("comm_info_request", map[string]any{})
		return kind == "comm_info_reply" && answer["status"] == "ok"
	}},
	{"error_handling", func(w *wire) bool {
		r := w.run("func func", "")
		return r.reply["status"] == "error" && r.has("error", "traceback")
	}},
	{"display_data", func(w *wire) bool {
		r := w.run(gonbui+`gonbui.DisplayHtml("<b>bold</b>")`, "")
		return r.has("display_data", "bold")
	}},
	{"update_display_data", func(w *wire) bool {
		r := w.run(gonbui+"id := gonbui.UniqueId()\ngonbui.UpdateHtml(id, \"<b>initial</b>\")\n"+
			"gonbui.UpdateHtml(id, \"<b>updated</b>\")", "")
		return r.has("display_data", "initial") && r.has("update_display_data", "updated")
	}},
	{"execute_result", func(w *wire) bool { r := w.run("1 + 1", ""); return r.has("execute_result", `"2"`) }},
	{"rich_execute_result", func(w *wire) bool {
		r := w.run(`template.HTML("<b>bold</b>")`, "")
		return r.has("execute_result", "text/html")
	}},
	{"stdin_input_request", func(w *wire) bool {
		r := w.run(gonbui+`gonbui.RequestInput("Enter: ", false)`, "test_input_42")
		return len(r.asked) == 1 && r.asked[0]["prompt"] == "Enter: " && r.reply["status"] == "ok"
	}},
	{"comms_lifecycle", func(w *wire) bool {
		w.send(w.shell, "comm_open", map[string]any{"comm_id": "c", "target_name": "board",
			"data": map[string]any{}}, nil)
		w.send(w.shell, "comm_close", map[string]any{"comm_id": "c", "data": map[string]any{}}, nil)
		return w.run("x := 1", "").reply["status"] == "ok"
	}},
	{"interrupt_request", func(w *wire) bool {
		kind, answer := w.ask("interrupt_request", map[string]any{})
		return kind == "interrupt_reply" && answer["status"] == "ok"
	}},
	{"execution_count_increments", func(w *wire) bool {
		first, second := w.run("x := 1", ""), w.run("x := 1", "")
		return second.reply["execution_count"].(float64) == first.reply["execution_count"].(float64)+1
	}},
	{"parent_header_correlation", func(w *wire) bool {
		r := w.run(`fmt.Println("hello")`, "")
		return r.header.Parent.ID == r.id && len(r.published) > 3
	}},
	{"iopub_welcome", func(w *wire) bool {
		other := connect(w.t, w.conn)
		m, content := w.next(other.said)
		return m.Header.Type == "iopub_welcome" && content["subscription"] == "" && m.Parent == (jupyter.Header{})
	}},
	{"shutdown_reply", func(w *wire) bool {
		kind, answer := w.ask("shutdown_request", map[string]any{"restart": false})
		return kind == "shutdown_reply" && answer["status"] == "ok"
	}},
}

// testBoard asks of the installed kernel what the public board of kernels asks.
func testBoard(t *testing.T, g gonb) {
	k := g.tcp(t)
	w := connect(t, k.conn)
	must.Equal(t, len(board), 27, "conditions")
	for _, c := range board {
		t.Run(c.name, func(t *testing.T) {
			w.t = t
			if !c.holds(w) {
				t.Error("does not hold; the last cell was answered by", w.last.reply)
				for _, m := range w.last.published {
					t.Log(m.Header.Type, string(m.Content))
				}
			}
		})
	}
	<-k.end
}

// testInput types cells that ask the person for something.
func testInput(t *testing.T, g gonb) {
	w := connect(t, g.tcp(t).conn)
	for _, c := range []struct{ name, source, answer, want, asked string }{
		{"a word", "var name string\nfmt.Print(\"Name: \")\nfmt.Scanln(&name)\nfmt.Println(\"Hello\", name)",
			"Ada", "Name: Hello Ada\n", "[map[password:false prompt:]]"},
		{"is kept", "name", "none", "Ada", "[]"},
		{"two lines, by a scanner", "s := bufio.NewScanner(os.Stdin)\nfor range 2 {\n\ts.Scan()\n\t" +
			"fmt.Println(s.Text())\n}", "two words", "two words\ntwo words\n",
			"[map[password:false prompt:] map[password:false prompt:]]"},
		{"a password", gonbui + "gonbui.RequestInput(\"Key: \", true)\nkey, err := " +
			"bufio.NewReader(os.Stdin).ReadString('\\n')\nlen(key)", "secret", "7",
			"[map[password:true prompt:Key: ]]"},
		{"by a function of another cell", "func ask() (n int) {\n\tfmt.Scan(&n)\n\treturn\n}", "none", "", "[]"},
		{"which asks here", "2 * ask()", "21", "42", "[map[password:false prompt:]]"},
		{"in a program of its own", "package main\n\nimport \"fmt\"\n\nfunc main() {\n\tn := 0\n\t" +
			"fmt.Scan(&n)\n\tfmt.Println(n + 1)\n}", "1", "2\n", "[map[password:false prompt:]]"},
		{"without a person", "var m int\nfmt.Scan(&m)\nm", "", "fmt.Scan finds nothing: this cell has no such input; " +
			"write the value into the cell, or read it from a file\n0", "[]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w.t = t
			r := w.run(c.source, c.answer)
			must.Equal(t, ansi.ReplaceAllString(r.shown(), ""), c.want)
			must.Equal(t, fmt.Sprint(r.asked), c.asked)
			must.Equal(t, r.reply["status"], any("ok"))
		})
	}
	t.Run("an interrupt ends the wait", func(t *testing.T) {
		w.t = t
		w.send(w.shell, "execute_request", map[string]any{"code": "fmt.Scan(new(int))", "allow_stdin": true}, nil)
		m, _ := w.next(w.questions)
		w.ask("interrupt_request", map[string]any{})
		_, reply := w.next(w.replies)
		must.Equal(t, reply["ename"], any("interrupted"))
		w.send(w.stdin, "input_reply", map[string]any{"value": "late"}, &m)
		must.Equal(t, w.run("1 + 1", "").shown(), "2")
	})
}

// shown is what the cell wrote, and its value.
func (r ran) shown() string {
	var text strings.Builder
	for _, m := range r.published {
		var content struct {
			Text string
			Data map[string]string
		}
		json.Unmarshal(m.Content, &content)
		text.WriteString(content.Text + content.Data["text/plain"])
	}
	return text.String()
}

// testAtOnce connects, asks and interrupts as fast as a program can: nothing is missed.
func testAtOnce(t *testing.T, g gonb) {
	k := g.tcp(t)
	for range fulltest.N(6, 60) {
		w := connect(t, k.conn)
		r := w.run("fmt.Println(1)", "")
		must.Be(t, r.has("execute_input", "1") && r.shown() == "1\n", "%d messages: %q", len(r.published), r.shown())
	}
	w := connect(t, k.conn)
	cell := must.Get(jupyter.NewMessage("board", "execute_request", map[string]any{"code": "for {\n}"}))(t)
	w.ask("interrupt_request", map[string]any{}) // sent after the cell was made, and arrives before it
	frames := must.Get(cell.Frames([]byte(k.conn.Key)))(t)
	must.Do(t, w.shell.SendMulti(zmq4.NewMsgFrom(frames...)))
	_, reply := w.next(w.replies)
	must.Equal(t, reply["ename"], any("interrupted"))
	must.Equal(t, w.run("1 + 1", "").shown(), "2", "the next cell")
}
