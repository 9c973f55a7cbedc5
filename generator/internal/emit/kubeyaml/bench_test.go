package kubeyaml_test

import (
	"os"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/stratakube/strata/generator/internal/emit/kubeyaml"
)

// BenchmarkMarshal prints a definition of the worked example, as this package and
// as the library does.
func BenchmarkMarshal(b *testing.B) {
	body, err := os.ReadFile("../../../../operator/api/crds/persons.crm.example.com.yaml")
	if err != nil {
		b.Skipf("needs the repository: %v", err)
	}
	var value map[string]any
	if err := yaml.Unmarshal(body, &value); err != nil {
		b.Fatal(err)
	}
	for name, marshal := range map[string]func(any) ([]byte, error){"kubeyaml": kubeyaml.Marshal, "sigs": yaml.Marshal} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := marshal(value); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
