package verbs

import (
	"context"

	"github.com/stratakube/strata/tools/modules"
	"github.com/stratakube/strata/tools/protos"
	"github.com/stratakube/strata/tools/step"
)

// Proto generates the protobuf code of the plugins' contracts.
func Proto(ctx context.Context) error {
	return do(ctx, withProtos("proto", (*protos.Generator).Generate))
}

// ProtoCheck proves that the protobuf code is what its files give, and that these break nothing which was released.
func ProtoCheck(ctx context.Context) error { return do(ctx, protoCheck) }

var protoCheck = withProtos("proto:check", (*protos.Generator).Check)

// ProtoRelease records what a release of the plugins' contracts has.
func ProtoRelease(ctx context.Context, release string) error {
	return do(ctx, withProtos("proto:release", func(g *protos.Generator, ctx context.Context) error {
		if err := g.Check(ctx); err != nil {
			return err
		}
		w, err := modules.Find(".")
		if err != nil {
			return err
		}
		record := "./" + protos.Module + "/internal/releases/cmd/release"
		if err := atRoot(w).Go(ctx, "run", record, protos.Module, release); err != nil {
			return err
		}
		return g.Release(ctx, release)
	}))
}

// withProtos is a part of one step, which is left out where there are no protobuf files.
func withProtos(name string, act func(*protos.Generator, context.Context) error) part {
	steps := one(name, func(ctx context.Context, w *modules.Workspace) error {
		say("building buf, which takes minutes where it has not been done")
		g, err := protos.Open(ctx, w)
		if err != nil {
			return err
		}
		defer g.Close()
		return act(g, ctx)
	})
	return func(w *modules.Workspace) []step.Step {
		if _, err := w.Module(protos.Module); err != nil {
			return nil
		}
		return steps(w)
	}
}
