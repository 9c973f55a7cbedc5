// Package kubeyaml prints values of Kubernetes' Go types as YAML: by their JSON
// form, keys sorted, texts of several lines as blocks. It is what
// sigs.k8s.io/yaml reads back as the same value, and a quarter of the work.
package kubeyaml
