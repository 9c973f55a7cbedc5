package scaffold

import (
	"fmt"
	"path"
)

// ImageMakefile is the file, in the folder of the webhook's program, with the lines of make that
// build its image. A Makefile of the project includes it.
const ImageMakefile = "image.mk"

// ImageLines returns the path of the lines of make that build the image of the webhook; empty
// without a program of the webhook.
func (c Choices) ImageLines() string {
	if c.Webhook == "" || c.Operator != "" {
		return ""
	}
	return path.Join(c.Webhook, ImageMakefile)
}

// imageFiles returns what builds the image of the webhook: a Dockerfile, and lines of make.
func (c Choices) imageFiles() []File {
	name, folder := c.images()+"-webhook", c.Webhook
	return []File{
		{path.Join(folder, DockerFile), fmt.Appendf(nil, webhookDockerFile, path.Join(folder, DockerFile), name, folder)},
		{c.ImageLines(), fmt.Appendf(nil, imageLines, c.ImageLines(), name, folder, path.Join(folder, DockerFile))},
	}
}

const webhookDockerFile = `# The image of the conversion webhook. Build it in the folder of go.mod:
#
#   docker build --file %[1]s --tag %[2]s:dev .
#
# Without a container engine: strata image %[2]s=./%[3]s
FROM golang:1.26 AS build
ARG TARGETOS
ARG TARGETARCH
WORKDIR /src
COPY . .
RUN CGO_ENABLED=0 GOOS=${TARGETOS:-linux} GOARCH=${TARGETARCH} go build -trimpath -o /out/webhook ./%[3]s

FROM gcr.io/distroless/static:nonroot AS webhook
COPY --from=build /out/webhook /webhook
USER 65532:65532
ENTRYPOINT ["/webhook"]
`

const imageLines = `# Images of the conversion webhook. A Makefile has these targets by the line: include %[1]s
# Without a Makefile: make -f %[1]s webhook-image
STRATA ?= strata
CONTAINER_TOOL ?= docker
WEBHOOK_IMAGE ?= %[2]s
WEBHOOK_TAG ?= dev

.PHONY: webhook-image
webhook-image: ## Build the image of the webhook into bin/images, without a container engine.
	$(STRATA) image $(WEBHOOK_IMAGE)=./%[3]s --tag $(WEBHOOK_TAG)

.PHONY: docker-build-webhook
docker-build-webhook: ## Build the image of the webhook with a container engine.
	$(CONTAINER_TOOL) build --file %[4]s --tag $(WEBHOOK_IMAGE):$(WEBHOOK_TAG) .

.PHONY: kind-load-webhook
kind-load-webhook: webhook-image ## Load the image of the webhook into a cluster of kind.
	kind load image-archive bin/images/$(notdir $(WEBHOOK_IMAGE)).tar
`
