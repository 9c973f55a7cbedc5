package live_test

import (
	"os"
	"testing"

	"github.com/stratakube/strata/tools/clustertest"
)

func TestMain(m *testing.M) {
	_ = os.Setenv("KUBE_EDITOR", "sed -i s/gold/silver/") // here, since tests run beside one another
	clustertest.Main(m)
}
