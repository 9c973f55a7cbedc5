// Command strata-linkcache runs a tool of the go command, which names it in -toolexec with a
// folder. It stores linked programs there.
package main

import (
	"fmt"
	"os"

	"github.com/stratakube/strata/tools/build/linkcache"
)

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: strata-linkcache FOLDER TOOL ARGUMENTS...")
		os.Exit(2)
	}
	os.Exit(linkcache.Tool(os.Args[1], os.Args[2], os.Args[3:]))
}
