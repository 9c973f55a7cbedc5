// Command protoc-gen-strata-plugin generates the Go side of versions of plugins, for projects that
// call buf or protoc themselves. Its parameter domain is that of plugins whose names have none. The
// command `strata-plugin-kinds generate` does the same without either.
package main

import (
	"flag"

	"google.golang.org/protobuf/compiler/protogen"

	"github.com/stratakube/strata/operator/plugin/internal/kindgen"
)

func main() {
	var parameters flag.FlagSet
	domain := parameters.String("domain", "", "")
	protogen.Options{ParamFunc: parameters.Set}.Run(func(p *protogen.Plugin) error {
		return kindgen.Generate(p, *domain)
	})
}
