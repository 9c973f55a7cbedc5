package olderobjects_test

import (
	"testing"

	"github.com/stratakube/strata/tools/corpus/labtest"
)

func TestMain(m *testing.M) { labtest.Main(m) }
