package upgrade_test

import (
	"testing"

	"github.com/stratakube/strata/tools/testcluster/shared"
)

func TestMain(m *testing.M) { shared.Main(m) }
