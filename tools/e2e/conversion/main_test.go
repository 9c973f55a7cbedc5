package conversion_test

import (
	"os"
	"testing"

	"github.com/stratakube/strata/tools/testcluster/shared"
)

func TestMain(m *testing.M) {
	_ = os.Setenv("KUBE_EDITOR", "sed -i s/gold/silver/") // here, since tests run beside one another
	shared.Main(m)
}
