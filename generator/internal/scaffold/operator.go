package scaffold

import (
	"fmt"
	"path"
)

// The names of files of an operator.
const (
	DockerFile    = "Dockerfile"
	ProvidersFile = "providers.yaml"
	LockFile      = "plugins/strata-plugins.lock"
)

// Programs of Strata that an operator needs.
const (
	ARMProgram    = "github.com/stratakube/strata/operator/arm/cmd/strata-arm"
	PluginProgram = "github.com/stratakube/strata/operator/plugin/cmd/strata-plugin"
)

// images returns the prefix of the names of images: the last element of the module's path.
func (c Choices) images() string {
	if parent := path.Base(path.Dir(c.Module)); parent != "." && parent != "/" {
		return parent
	}
	return path.Base(c.Module)
}

// operator returns the program of an operator, what builds images of it and of the webhook, the
// provider that it calls, and a lock file without plugins.
func (c Choices) operator() []File {
	return []File{
		{path.Join(c.Operator, "main.go"), fmt.Appendf(nil, operatorMain, path.Base(c.Operator), c.Module)},
		{DockerFile, fmt.Appendf(nil, dockerFile, c.images(), c.Webhook, c.Operator, ARMProgram, PluginProgram)},
		{ProvidersFile, []byte(providersFile)},
		{LockFile, []byte(lockFile)},
	}
}

const operatorMain = `// Command %s makes and changes resources of the external API as objects of this module's APIs say.
package main

import (
	api %q

	"github.com/stratakube/strata/operator"
)

// The operator reads flags (--help lists them), and reconciles until it is told to stop. For options of your own, call
// operator.Run.
func main() { operator.Main(api.AddToScheme) }
`

const dockerFile = `# Images of the webhook and of the operator, with its plugins:
#
#   docker build --target webhook  --tag %[1]s-webhook:dev .
#   docker build --target operator --tag %[1]s-operator:dev .
FROM golang:1.26 AS build
WORKDIR /src
COPY . .
ENV CGO_ENABLED=0
RUN go build -trimpath -o /out/webhook ./%[2]s
RUN go build -trimpath -o /out/operator ./%[3]s
RUN go build -trimpath -o /out/plugins/strata-arm %[4]s
RUN go run %[5]s verify --write --dir /out/plugins --environment 'strata-arm=AZURE_*'

FROM gcr.io/distroless/static:nonroot AS webhook
COPY --from=build /out/webhook /webhook
USER 65532:65532
ENTRYPOINT ["/webhook"]

FROM gcr.io/distroless/static:nonroot AS operator
COPY --from=build /out/operator /operator
COPY --from=build /out/plugins /plugins
USER 65532:65532
ENTRYPOINT ["/operator"]
`

const providersFile = `# Which provider looks after which types: the first that matches. For an operator that runs beside a cluster; one in it reads
# the ConfigMap of its package.
apiVersion: strata.dev/v1alpha1
kind: Providers
providers:
  - name: strata.dev/arm
    # types: ["Microsoft.*"]
    # The public cloud needs no configuration. The simulator, or another cloud:
    # config: {cloud: custom, endpoint: "http://127.0.0.1:8001", parent: /subscriptions/S/resourceGroups/G}
`

// lockFile trusts no plugin. The command strata plugin verify --write adds those beside it.
const lockFile = `{
  "version": 1,
  "plugins": []
}
`
