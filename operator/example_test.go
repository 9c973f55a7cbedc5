package operator_test

import (
	"context"
	"fmt"
	"os"

	"github.com/stratakube/strata/operator"
	"github.com/stratakube/strata/operator/api"
)

// An operator for other types differs in what it registers. In a main,
// operator.Main(api.AddToScheme) does all of this.
func ExampleCommand() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	code := operator.Command(ctx, []string{"my-operator", "--serve-conversions"}, os.Stdout, os.Stdout, api.AddToScheme)
	fmt.Println("exit code", code)
	// Output:
	// my-operator: error: no plugins: give --plugins
	// my-operator: error: --serve-conversions needs --cert-file and --key-file
	// my-operator: hint: --help lists all flags
	// exit code 2
}
