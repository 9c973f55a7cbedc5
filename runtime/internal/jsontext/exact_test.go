package jsontext

import (
	"strings"
	"testing"

	"github.com/stratakube/strata/runtime"
)

func TestLongNumbers(t *testing.T) {
	for text, want := range map[string]bool{
		"":                                  false,
		strings.Repeat("1", 15):             false,
		strings.Repeat("9", 16):             true,
		"a0123456789":                       false,
		"12345678:12345678":                 false,
		"12345678/12345678":                 false,
		"x" + strings.Repeat("0", 16) + "x": true,
	} {
		if got := HasLongNumber(runtime.JSON(text)); got != want {
			t.Errorf("%q has a long number: %t", text, got)
		}
	}
}
