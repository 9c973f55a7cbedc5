package planned

import (
	"context"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/webhook/engine"
)

// Engine converts by plans what they convert, and hands on the rest. It implements engine.Engine.
type Engine struct{ rest engine.Engine }

// New makes an engine before another one, which must convert all that this one is asked for. Plans must be registered
// before; registering the types of a scheme does that.
func New(rest engine.Engine) *Engine { return &Engine{rest} }

// Kinds lists what the engine behind serves.
func (e *Engine) Kinds() []engine.Kind { return e.rest.Kinds() }

// Converter returns what converts a pair: by plans, if there are any for it.
func (e *Engine) Converter(pair engine.Pair) engine.Converter {
	rest := e.rest.Converter(pair)
	plan := runtime.NewConverter(pair.Kind, pair.From, pair.To)
	if rest == nil || plan == nil {
		return rest
	}
	return &converter{plan, rest}
}

// converter converts one pair.
type converter struct {
	plan *runtime.Converter
	rest engine.Converter
}

// Steps is how many conversions an object passes.
func (c *converter) Steps() int { return c.plan.Steps() }

// Cost returns what the engine behind takes, since nobody knows before whether the plan converts an object.
func (c *converter) Cost(object []byte) int64 {
	if costly, ok := c.rest.(engine.Costly); ok {
		return costly.Cost(object)
	}
	return 0
}

// Append converts an object by its plan, else as the engine behind does.
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
