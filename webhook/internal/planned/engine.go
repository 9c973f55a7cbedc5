package planned

import (
	"context"

	"github.com/stratakube/strata/runtime/convert"
	"github.com/stratakube/strata/webhook/engine"
)

// Engine converts objects by their plans, and passes the rest to another engine. It implements
// engine.Engine.
type Engine struct{ rest engine.Engine }

// New makes an engine before rest, which must convert everything that this one is asked for. Plans
// must be registered first; registering the types of a scheme does that.
func New(rest engine.Engine) *Engine { return &Engine{rest} }

// Kinds lists the kinds of the engine behind.
func (e *Engine) Kinds() []engine.Kind { return e.rest.Kinds() }

// Converter returns the converter for a pair: one that uses a plan, if there is any.
func (e *Engine) Converter(pair engine.Pair) engine.Converter {
	rest := e.rest.Converter(pair)
	plan := convert.NewConverter(pair.Kind, pair.From, pair.To)
	if rest == nil || plan == nil {
		return rest
	}
	return &converter{plan, rest}
}

// converter converts one pair.
type converter struct {
	plan *convert.Converter
	rest engine.Converter
}

// Steps returns how many conversions an object passes through.
func (c *converter) Steps() int { return c.plan.Steps() }

// Cost returns the cost of the engine behind, since only the conversion shows whether the plan
// refuses an object.
func (c *converter) Cost(object []byte) int64 {
	if costly, ok := c.rest.(engine.Costly); ok {
		return costly.Cost(object)
	}
	return 0
}

// Append converts an object by its plan, or else by the engine behind.
func (c *converter) Append(ctx context.Context, dst, object []byte) ([]byte, error) {
	if out, ok := c.plan.Append(dst, object); ok {
		return out, nil
	}
	return c.rest.Append(ctx, dst, object)
}

// AppendFirst converts the object that text begins with, if its plan does.
func (c *converter) AppendFirst(_ context.Context, dst, text []byte, depth int) ([]byte, int) {
	return c.plan.AppendFirst(dst, text, depth)
}
