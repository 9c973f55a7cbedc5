module github.com/stratakube/strata/operator/arm

go 1.26.0

require (
	github.com/Azure/azure-sdk-for-go/sdk/azcore v1.24.0
	github.com/Azure/azure-sdk-for-go/sdk/azidentity v1.15.0
	github.com/google/go-cmp v0.7.0
	github.com/stratakube/strata/operator/plugin v0.0.0
)

require (
	google.golang.org/protobuf v1.36.12
	sigs.k8s.io/yaml v1.6.0
)
