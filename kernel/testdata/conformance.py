# What jupyter_kernel_test asks of every kernel, with samples in Go.
import unittest

import jupyter_kernel_test


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


unittest.main()
