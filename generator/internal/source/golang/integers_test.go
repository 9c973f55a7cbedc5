package golang_test

import (
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// TestIntegersEndAtInt64 checks that an API server accepts no integer above those of int64, also if
// the schema has no maximum. So uint64 ends there, as the reference states.
func TestIntegersEndAtInt64(t *testing.T) {
	v, _, err := validation.NewSchemaValidator(&apiextensions.JSONSchemaProps{Type: "integer", Format: "int64"})
	if err != nil {
		t.Fatal(err)
	}
	for text, isValid := range map[string]bool{"9223372036854775807": true, "9223372036854775808": false, "18446744073709551615": false, "10000000000000000000": false} {
		var value any
		if err := utiljson.Unmarshal([]byte(text), &value); err != nil {
			t.Fatal(err)
		}
		if got := v.Validate(value).IsValid(); got != isValid {
			t.Errorf("%s as %T: valid is %t", text, value, got)
		}
	}
}
