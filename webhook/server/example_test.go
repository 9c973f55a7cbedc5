package server_test

import (
	"context"
	"fmt"
	"os"

	"github.com/stratakube/strata/webhook/internal/example"
	"github.com/stratakube/strata/webhook/server"
)

// A webhook for other types registers other types. In a program, server.Main(example.AddToScheme)
// does all of this.
func ExampleCommand() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	code := server.Command(ctx, []string{"my-webhook", "--cert-file", "tls.crt"}, os.Stdout, os.Stdout, example.AddToScheme)
	fmt.Println("exit code", code)
	// Output:
	// my-webhook: error: --cert-file and --key-file must be set together
	// my-webhook: hint: --help lists all flags
	// exit code 2
}
