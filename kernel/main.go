// Kernel is the command expfam by the name that it has in a clone, `go run ./kernel`: see package
// [github.com/expfam/lab/kernel/expfam].
package main

import "github.com/expfam/lab/kernel/internal/command"

func main() { command.Main() }
