package targets

import (
	"context"

	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/build/protobuf"
	"github.com/stratakube/strata/tools/build/steps"
)

// Proto generates the protobuf code of the plugins' contracts.
func Proto(ctx context.Context) error {
	return do(ctx, withProtos("proto", (*protobuf.Generator).Generate))
}

// ProtoCheck proves that the protobuf code is what its files give, and that these break nothing
// which was released.
func ProtoCheck(ctx context.Context) error { return do(ctx, protoCheck) }

var protoCheck = withProtos("proto:check", (*protobuf.Generator).Check)

// ProtoRelease records what a release of the plugins' contracts has.
func ProtoRelease(ctx context.Context, release string) error {
	return do(ctx, withProtos("proto:release", func(g *protobuf.Generator, ctx context.Context) error {
		if err := g.Check(ctx); err != nil {
			return err
		}
		w, err := modules.Find(".")
		if err != nil {
			return err
		}
		record := "./" + protobuf.Module + "/internal/releases/cmd/release"
		if err := atRoot(w).Go(ctx, "run", record, protobuf.Module, release); err != nil {
			return err
		}
		return g.Release(ctx, release)
	}))
}

// withProtos is a part of one step, which is left out where there are no protobuf files.
func withProtos(name string, act func(*protobuf.Generator, context.Context) error) part {
	call := one(name, func(ctx context.Context, w *modules.Workspace) error {
		say("building buf, which takes minutes where it has not been done")
		g, err := protobuf.Open(ctx, w)
		if err != nil {
			return err
		}
		defer g.Close()
		return act(g, ctx)
	})
	return func(w *modules.Workspace) []steps.Step {
		if _, err := w.Module(protobuf.Module); err != nil {
			return nil
		}
		return call(w)
	}
}
