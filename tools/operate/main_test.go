package operate_test

import (
	"testing"

	"github.com/stratakube/strata/tools/clustertest"
)

func TestMain(m *testing.M) { clustertest.Main(m) }
