// Program prints its arguments. The test links it with the flag of package addresses.
package main

import (
	"fmt"
	"os"

	_ "github.com/expfam/lab/kernel/internal/addresses"
)

func main() { fmt.Println(os.Args[1:], os.Getenv("WORD")) }
