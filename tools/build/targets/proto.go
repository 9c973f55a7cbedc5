package targets

import (
	"context"

	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/build/steps"
)

// pluginModule is the module with the kinds of plugins, below the root.
const pluginModule = "operator/plugin"

// Proto generates the code of the plugins' contracts.
func Proto(ctx context.Context) error { return do(ctx, kinds("proto", "generate")) }

// ProtoCheck checks that the generated code matches the protobuf files, and that these break no
// released contract.
func ProtoCheck(ctx context.Context) error { return do(ctx, protoCheck) }

var protoCheck = kinds("proto:check", "check")

// ProtoRelease records the contracts of a release of the plugins.
func ProtoRelease(ctx context.Context, release string) error {
	return do(ctx, kinds("proto:release", "release", release))
}

// kinds is a part of one step, which calls the command that every project with kinds of plugins
// uses. It is left out where the module is missing.
func kinds(name string, args ...string) part {
	call := one(name, func(ctx context.Context, w *modules.Workspace) error {
		program := "./" + pluginModule + "/cmd/strata-plugin-kinds"
		return atRoot(w).Go(ctx, append(append([]string{"run", program}, args...), "--dir", pluginModule)...)
	})
	return func(w *modules.Workspace) []steps.Step {
		if _, err := w.Module(pluginModule); err != nil {
			return nil
		}
		return call(w)
	}
}
