# What jupyter_kernel_test asks of every kernel, with samples in Go, and what VS Code's Jupyter extension asks besides.
import os
import shutil
import tempfile
import time
import unittest

import jupyter_kernel_test
from jupyter_client.manager import KernelManager


class Expfam(jupyter_kernel_test.KernelTests):
    kernel_name = "expfam"
    language_name = "go"
    file_extension = ".go"
    code_hello_world = 'fmt.Println("hello, world")'
    code_stderr = 'fmt.Fprintln(os.Stderr, "oops")'
    completion_samples = [{"text": "fmt.Printl", "matches": {"Println"}}]
    complete_code_samples = ["x := 1", "func f() {}", "fmt.Println(1)", "%%bash\nls"]
    incomplete_code_samples = ["func f() {", "f(", "x := `a"]
    invalid_code_samples = ["x := := 1", "f)"]
    code_generate_error = 'panic("no")'
    code_execute_result = [{"code": "1 + 1", "result": "2"}, {"code": "6 / 2", "result": "3"}]
    code_display_data = [{"code": 'viz.Lines{Lines: []viz.Line{{Y: []float64{1, 2}}}}', "mime": "text/html"}]
    code_history_pattern = "1?+*"
    supported_history_operations = ("tail", "range", "search")
    code_inspect_sample = "fmt.Println"

    def ask(self, kind, content, metadata=None):
        """Sends a request on the shell channel, as the extension does whatever the kind, and gives its id."""
        message = self.kc.session.msg(kind, content, metadata=metadata)
        self.kc.shell_channel.send(message)
        return message["header"]["msg_id"]

    def replies(self, *ids):
        """The replies to the requests, in the order of these."""
        found, end = {}, time.time() + 120
        while len(found) < len(ids) and time.time() < end:
            message = self.kc.get_shell_msg(timeout=120)
            if message["parent_header"].get("msg_id") in ids:
                found[message["parent_header"]["msg_id"]] = message
        return [found[i] for i in ids]

    def published(self, of, until):
        """What is published because of a request, until a message for which until says so."""
        messages = []
        while True:
            message = self.kc.get_iopub_msg(timeout=120)
            if message["parent_header"].get("msg_id") == of:
                messages.append(message)
                if until(message):
                    return messages

    @staticmethod
    def idle(message):
        return message["msg_type"] == "status" and message["content"]["execution_state"] == "idle"

    def cell(self, code):
        """Runs a cell with what the extension says about it."""
        return self.ask("execute_request", {"code": code, "silent": False, "stop_on_error": False, "allow_stdin": True,
                                            "store_history": True, "user_expressions": {}},
                        {"cellId": "vscode-notebook-cell:/home/somebody/own.ipynb#W0sZmlsZQ%3D%3D"})

    def test_vscode_cells(self):
        self.flush_channels()
        asked = self.cell("vscode := 20\nvscode + 1")
        (reply,), messages = self.replies(asked), self.published(asked, self.idle)
        self.assertEqual(reply["content"]["status"], "ok")
        kinds = [m["msg_type"] for m in messages]
        self.assertEqual(kinds[:2], ["status", "execute_input"])
        (result,) = [m for m in messages if m["msg_type"] == "execute_result"]
        self.assertEqual(result["content"]["data"]["text/plain"], "21")
        self.assertEqual(result["content"]["execution_count"], reply["content"]["execution_count"])

    def test_vscode_goes_on_after_an_error(self):
        self.flush_channels()
        wrong, right = self.cell("panic(1)"), self.cell("1 + 2")  # stop_on_error is false: the extension stops by itself
        first, second = self.replies(wrong, right)
        self.assertEqual((first["content"]["status"], second["content"]["status"]), ("error", "ok"))

    def test_vscode_interrupt(self):
        """The extension interrupts kernels that it starts itself by a message on the shell channel."""
        self.flush_channels()
        asked = self.cell('fmt.Println("busy")\nfor {\n}')
        self.published(asked, lambda m: m["msg_type"] == "stream" and "busy" in m["content"]["text"])
        interrupt = self.ask("interrupt_request", {})
        interrupted, reply = self.replies(asked, interrupt)
        self.assertEqual((interrupted["content"]["status"], reply["content"]["status"]), ("error", "ok"))
        after, = self.replies(self.cell("1 + 3"))
        self.assertEqual(after["content"]["status"], "ok")

    def test_vscode_answers_while_a_cell_runs(self):
        self.flush_channels()
        asked = self.cell('fmt.Println("busy")\ntime.Sleep(time.Hour)')
        self.addCleanup(self.ask, "interrupt_request", {})  # whatever comes
        self.published(asked, lambda m: m["msg_type"] == "stream" and "busy" in m["content"]["text"])
        code = 's := "\U0001f600"\nfmt.Printl'
        units = len(code.encode("utf-16-le")) // 2  # VS Code counts as JavaScript does
        info, comms, complete, inspect = self.replies(
            self.ask("kernel_info_request", {}), self.ask("comm_info_request", {"target_name": "jupyter.widget"}),
            self.ask("complete_request", {"code": code, "cursor_pos": units}),
            self.ask("inspect_request", {"code": "fmt.Println", "cursor_pos": 11, "detail_level": 0}))
        self.assertEqual(info["content"]["language_info"]["name"], "go")
        self.assertEqual(comms["content"]["comms"], {})
        self.assertIn("Println", complete["content"]["matches"])
        self.assertEqual((complete["content"]["cursor_start"], complete["content"]["cursor_end"]), (units - 6, units))
        self.assertIn("func Println", inspect["content"]["data"]["text/plain"])


class OverUnixSockets(Expfam):
    """The same over the transport that `expfam lab` and the images choose."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.mkdtemp(dir="/tmp")  # short, for the sockets in it
        cls.addClassCleanup(shutil.rmtree, folder, ignore_errors=True)
        cls.km = KernelManager(kernel_name=cls.kernel_name, transport="ipc", connection_file=os.path.join(folder, "kernel.json"))
        cls.km.start_kernel()
        cls.kc = cls.km.client()
        cls.kc.start_channels()
        cls.kc.wait_for_ready(timeout=60)


unittest.main()
