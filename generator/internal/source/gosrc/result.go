package gosrc

import (
	"context"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/source"
)

// Read reads all packages. What is wrong with them is in the result, all of it; it fails
// only where the go command cannot be asked, or the context ends.
func Read(ctx context.Context, o Options) (*source.Result, error) {
	r, err := o.load()
	if err != nil {
		return nil, err
	}
	for _, p := range r.roots {
		r.check(r.unit(p))
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	out := &source.Result{}
	if messages := r.said.Messages(); len(messages) > 0 {
		out.Broken = []source.Broken{{Source: model.Source{Kind: "go"}, Messages: messages}}
	}
	return out, nil
}

var _ = diag.Error
