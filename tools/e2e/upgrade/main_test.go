package upgrade_test

import (
	"os"
	"testing"

	"github.com/stratakube/strata/tools/testcluster/shared"
)

func TestMain(m *testing.M) {
	if os.Getenv(asConverter) != "" {
		os.Exit(convert(os.Args[1:], os.Stdin, os.Stdout))
	}
	shared.Main(m)
}
