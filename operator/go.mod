module github.com/stratakube/strata/operator

go 1.26.0

require (
	github.com/go-logr/logr v1.4.4
	github.com/google/go-cmp v0.7.0
	github.com/prometheus/client_golang v1.24.0
	github.com/stratakube/strata/operator/api v0.0.0
	github.com/stratakube/strata/operator/plugin v0.0.0
	github.com/stratakube/strata/runtime v0.0.0
	github.com/stratakube/strata/webhook v0.0.0
	golang.org/x/time v0.15.0
	google.golang.org/protobuf v1.36.12
	k8s.io/api v0.37.2
	k8s.io/apimachinery v0.37.2
	k8s.io/client-go v0.37.2
	sigs.k8s.io/controller-runtime v0.25.2
	sigs.k8s.io/yaml v1.6.0
)
