// Expfam sets up and runs notebooks whose cells are Go, with the library github.com/expfam/lab/expfam, without Python:
//
//	go install github.com/expfam/lab/kernel/expfam@latest
//	expfam new counts
//	expfam run counts.ipynb
//
// `expfam help` lists its verbs.
package main

import "github.com/expfam/lab/kernel/internal/command"

func main() { command.Main() }
