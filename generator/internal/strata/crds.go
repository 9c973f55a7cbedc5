package strata

import (
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/stratakube/strata/generator/internal/emit"
	"github.com/stratakube/strata/generator/internal/emit/crd"
)

// definitions are what the configuration says of definitions.
func (b *build) definitions() crd.Options {
	path, port := "/convert", int32(443)
	return crd.Options{Limit: crd.Limit, Client: v1.WebhookClientConfig{Service: &v1.ServiceReference{Namespace: "strata-system", Name: "strata-webhook", Path: &path, Port: &port}}}
}

// defined are the files of definitions. Each speaks of all versions of its kind.
func defined(crds []crd.File) []emit.File {
	var out []emit.File
	for _, f := range crds {
		out = append(out, emit.File{Path: f.Path, Body: f.Body, Of: f.Kind.Versions})
	}
	return out
}

func (b *build) budget(crds []crd.File) {}
