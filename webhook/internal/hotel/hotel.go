package hotel

import (
	k8sruntime "k8s.io/apimachinery/pkg/runtime"

	"github.com/stratakube/strata/webhook/internal/hotel/v1"
	"github.com/stratakube/strata/webhook/internal/hotel/v1beta1"
	"github.com/stratakube/strata/webhook/internal/hotel/v2"
)

// AddToScheme registers the three versions.
func AddToScheme(s *k8sruntime.Scheme) error {
	builder := k8sruntime.NewSchemeBuilder(v1beta1.AddToScheme, v1.AddToScheme, v2.AddToScheme)
	return builder.AddToScheme(s)
}
