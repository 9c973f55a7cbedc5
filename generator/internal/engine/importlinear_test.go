package engine_test

import (
	"fmt"
	"strings"
	"testing"
)

// convertedTypes are API types of a version with n properties, whose names in JSON begin with a
// letter.
func convertedTypes(version, letter string, n int) string {
	return "// +groupName=shop.example.com\n// +versionName=" + version + "\npackage " + version + `

type TypeMeta struct{}

type ObjectMeta struct {
	Name string ` + "`json:\"name,omitempty\"`" + `
}

// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:storageversion
type Order struct {
	TypeMeta   ` + "`json:\",inline\"`" + `
	ObjectMeta ` + "`json:\"metadata,omitempty\"`" + `
	Spec       OrderSpec ` + "`json:\"spec,omitempty\"`" + `
}

type OrderSpec struct {
` + repeated(n, "\n", func(i int) string {
		return fmt.Sprintf("\tP%[1]d string `json:\"%[2]s%[1]d,omitempty\"`", i, letter)
	}) + "\n}\n"
}

// convertedProject has conversions that rename n properties: one by one, by way of a variable, and
// in a literal.
func convertedProject(t *testing.T, dir string, n int) {
	write(t, dir, "api/v1/types.go", convertedTypes("v1", "p", n)+"\nfunc (*Order) Hub() {}\n")
	write(t, dir, "api/v1beta1/types.go", strings.Replace(convertedTypes("v1beta1", "q", n), "// +kubebuilder:storageversion\n", "", 1))
	one := func(to, from string) string {
		return repeated(n, "\n", func(i int) string { return fmt.Sprintf("\t%s.P%d = %s.P%[2]d", to, i, from) })
	}
	write(t, dir, "api/v1beta1/conversion.go", `package v1beta1

import v1 "example.com/shop/api/v1"

type Hub interface{ Hub() }

func (src *Order) ConvertTo(hub Hub) error {
	dst := hub.(*v1.Order)
`+one("dst.Spec", "src.Spec")+`
	return nil
}

func (dst *Order) ConvertFrom(hub Hub) error {
	src := hub.(*v1.Order)
	var spec OrderSpec
`+one("spec", "src.Spec")+`
	dst.Spec = spec
	dst.Spec = OrderSpec{`+repeated(n, ", ", func(i int) string { return fmt.Sprintf("P%[1]d: src.Spec.P%[1]d", i) })+`}
	return nil
}
`)
}
