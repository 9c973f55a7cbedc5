package scaffold

import (
	"fmt"
	"path"
	"strconv"
	"strings"
)

// File is a file to write. Path is relative to the project's folder, with slashes.
type File struct {
	Path string
	Body []byte
}

// Edit is a change of a file that exists. Body is its new content; nil removes it.
type Edit struct {
	Path string
	Body []byte
}

// The names of files.
const (
	ConfigFile = "strata.yaml"
	SchemaFile = "strata.schema.json"
)

// Files returns the files of a project: the configuration, the JSON schema that its first line
// refers to, the module and the first package of a new API, and the chosen programs of webhook and
// operator, with what builds their images.
func (c Choices) Files(schema []byte) []File {
	out := []File{{ConfigFile, c.config()}, {SchemaFile, schema}}
	if c.New != nil {
		out = append(out, c.New.file())
	}
	if c.GoModule != "" {
		out = append(out, File{"go.mod", fmt.Appendf(nil, "module %s\n\ngo 1.26.0\n", c.GoModule)})
	}
	if c.Checkout != "" {
		out = append(out, c.workspace())
	}
	if c.Webhook != "" {
		out = append(out, File{path.Join(c.Webhook, "main.go"), c.main()})
	}
	switch {
	case c.Operator != "":
		out = append(out, c.operator()...)
	case c.Webhook != "":
		out = append(out, c.imageFiles()...)
	}
	return out
}

// config returns the configuration: the choices, and other settings in comments.
func (c Choices) config() []byte {
	var b strings.Builder
	b.WriteString(head)
	for _, entry := range c.entries() {
		fmt.Fprintf(&b, "  - %s\n", entry)
	}
	fmt.Fprintf(&b, output, plain(c.Output), plain(c.Module))
	if c.Kustomization {
		b.WriteString(kustomized)
	}
	if c.Suffix != "" {
		fmt.Fprintf(&b, groups, plain(c.Suffix))
	}
	b.WriteString(tail)
	switch {
	case c.Operator != "":
		name := c.images()
		fmt.Fprintf(&b, packaged, plain(name+"-webhook:dev"), plain(name+"-operator:dev"))
	case c.Service != "":
		b.WriteString(c.installed())
	default:
		b.WriteString(installs)
		if lines := c.ImageLines(); lines != "" {
			fmt.Fprintf(&b, named, plain(c.images()+"-webhook:dev"), lines)
		}
	}
	return []byte(b.String())
}

// installed returns the section about the webhook that the project deploys.
func (c Choices) installed() string {
	namespace, name, _ := strings.Cut(c.Service, "/")
	out := fmt.Sprintf(deployed, plain(namespace), plain(name))
	if c.Certificate != "" {
		out += fmt.Sprintf(certified, plain(c.Certificate))
	}
	return out
}

// entries returns the sources as in the file, with all packages in one.
func (c Choices) entries() []string {
	var out, packages []string
	for _, s := range c.Sources {
		if s.Kind == "go" {
			packages = append(packages, strconv.Quote(s.spelled()))
			continue
		}
		if s.Releases != nil {
			var folders []string
			for _, folder := range s.Releases {
				folders = append(folders, plain(folder))
			}
			out = append(out, s.Kind+": {releases: ["+strings.Join(folders, ", ")+"]}")
			continue
		}
		entry := s.Kind + ": {root: " + plain(s.spelled())
		if len(s.Include) > 0 {
			entry += ", include: [" + strings.Join(quoted(s.Include), ", ") + "]"
		}
		out = append(out, entry+"}")
	}
	if packages != nil {
		out = append(out, "go: {packages: ["+strings.Join(packages, ", ")+"]}")
	}
	return out
}

// plain returns a YAML string, quoted only if necessary.
func plain(text string) string {
	if strings.Trim(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./") == "" && text != "" && text[0] != '-' {
		return text
	}
	return strconv.Quote(text)
}

func quoted(texts []string) []string {
	var out []string
	for _, t := range texts {
		out = append(out, strconv.Quote(t))
	}
	return out
}

// main returns the program of the webhook.
func (c Choices) main() []byte {
	return fmt.Appendf(nil, `// Command %s serves the conversions of this module's APIs.
package main

import (
	api %q

	"github.com/stratakube/strata/webhook/server"
)

// The server reads flags (--help lists them), serves until it is told to stop, and drains then. In a manager of
// controller-runtime, call webhook.Add(mgr, webhook.Options{}) instead.
func main() { server.Main(api.AddToScheme) }
`, path.Base(c.Webhook), c.Module)
}

// The sections of the configuration.
const (
	head = `# yaml-language-server: $schema=./strata.schema.json
# What strata generates, and from what. Run: strata generate
apiVersion: strata.dev/v1alpha1
kind: Generation

# What to read: all versions of the API, those of old releases too.
sources:
`
	output = `
# Where generated files are written. Strata removes none of the files that you add below dir. Commit
# all of them, in particular the ledger: with it, stored objects stay readable.
output:
  dir: %s
  module: %s
`
	kustomized = `  kustomization: true   # of the CRDs, for config/crd/kustomization.yaml
`
	deployed = `
# Where the API server finds the webhook: the service of config/webhook, as config/default names it.
install:
  webhook: {service: {namespace: %s, name: %s}}
`
	certified = `  certificates: cert-manager   # writes the CA of this certificate to the CRDs
  certificate: %s
`
	groups = `
# The end of the names of API groups.
groups: {suffix: %s}
`
	tail = `
# Which resources and versions may be added to the ledger; by default all.
# only: {resources: ["Microsoft.Batch/batchAccounts{,/pools}"], versions: [">=2022-01-01"]}

# Which versions clusters serve: this many of the newest. Versions that were served stay served,
# unless unserve lists them. (CRDs and Go packages declare which versions are served.)
# versions: {serve: {stable: 3, preview: 1}, unserve: [], prune: []}

# Renames and removals, which no schema declares: by folder of the group, version, Go type and
# property. strata check lists candidates.
# resources:
#   shop:
#     v1beta1:
#       WidgetSpec:
#         colour: {nameInNextVersion: color}   # a rename
#         weight: {removed: assessed}          # a removal
`
	installs = `
# Where the API server finds the webhook, and packages to install.
# install:
#   webhook: {service: {namespace: strata-system, name: strata-webhook}}
#   kustomize: config/strata
`
	named = `#   image: %s   # as %s builds it
`
	packaged = `
# A package of CRDs, webhook and operator, below dir: kubectl apply -k. The Dockerfile builds the
# images.
install:
  kustomize: config/strata
  image: %s
  operator:
    image: %s
    # configMaps: false   # no rights on ConfigMaps: no object can take values from one, or write outputs to one
`
)
