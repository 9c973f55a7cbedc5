package upgrade_test

import (
	"os"
	"testing"

	"github.com/stratakube/strata/tools/build/testrun/tier"
	"github.com/stratakube/strata/tools/testcluster/apiserver"
	"github.com/stratakube/strata/tools/testcluster/shared"
)

func TestMain(m *testing.M) {
	if os.Getenv(asConverter) != "" {
		os.Exit(convert(os.Args[1:], os.Stdin, os.Stdout))
	}
	options := apiserver.Options{}
	if tier.IsSoak() {
		// Every API server converts each object to each served version every five to eight minutes, to
		// compare its caches with etcd, and has each of these objects in memory. With 10,000 objects,
		// two servers on two processors would do little else.
		options.Flags, options.Memory = []string{"--feature-gates=DetectCacheInconsistency=false"}, "4GiB"
	}
	shared.MainWith(m, options)
}
