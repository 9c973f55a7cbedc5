package planned

import (
	"context"

	"github.com/stratakube/strata/runtime/convert"
	"github.com/stratakube/strata/webhook/engine"
)

// Engine converts objects by their plans, and passes the rest to another engine. It implements
// engine.Engine.
type Engine struct{ rest engine.Engine }

// New makes an engine before rest, which must have a converter for every pair. Plans must be
// registered first; registering the types of a scheme does that.
func New(rest engine.Engine) *Engine { return &Engine{rest} }

// Kinds lists the kinds of the engine behind.
func (e *Engine) Kinds() []engine.Kind { return e.rest.Kinds() }

// Converter returns the converter for a pair: one that uses a plan, if there is any.
func (e *Engine) Converter(pair engine.Pair) engine.Converter {
	rest := e.rest.Converter(pair)
	if rest == nil {
		return nil
	}
	plan := convert.NewConverter(pair.Kind, pair.From, pair.To)
	if plan == nil {
		return unplanned{fallback{rest}, &engine.Refusal{Reason: convert.NoPlan.String(), Next: rest}}
	}
	c := &converter{fallback: fallback{rest}, plan: plan}
	c.refusals = c.refusalsOf()
	return c
}

// fallback is a converter in front of another one.
type fallback struct{ rest engine.Converter }

// Cost returns the cost of the engine behind, since only the conversion shows whether the plan
// refuses an object.
func (f fallback) Cost(object []byte) int64 {
	if costly, ok := f.rest.(engine.Costly); ok {
		return costly.Cost(object)
	}
	return 0
}

// unplanned converts a pair without a plan. It implements engine.Selective, so that its objects are
// counted as refused.
type unplanned struct {
	fallback
	refusal *engine.Refusal
}

// Cost returns the cost of the engine behind, and of what hand-written steps and declared changes
// may create. It is zero if the engine behind does not report costs.
func (u unplanned) Cost(object []byte) int64 {
	if cost := u.fallback.Cost(object); cost > 0 {
		return cost + createdFactor*int64(len(object))
	}
	return 0
}

// createdFactor is how many bytes the values that a step creates take for each byte of an object. A
// declared change may split a string at each byte, and each part takes 16 bytes in a list.
const createdFactor = 24

// Steps returns how many conversions an object passes through.
func (u unplanned) Steps() int { return u.rest.Steps() }

// Append converts an object by the engine behind.
func (u unplanned) Append(ctx context.Context, dst, object []byte) ([]byte, error) {
	return u.rest.Append(ctx, dst, object)
}

// Try refuses every object.
func (u unplanned) Try(_ context.Context, dst, _ []byte) ([]byte, *engine.Refusal) {
	return dst, u.refusal
}

// converter converts a pair that has a plan. It implements engine.Eager.
type converter struct {
	fallback
	plan     *convert.Converter
	refusals []*engine.Refusal // by convert.Refusal
}

// Steps returns how many conversions an object passes through.
func (c *converter) Steps() int { return c.plan.Steps() }

// Append converts an object by its plan, or else by the engine behind.
func (c *converter) Append(ctx context.Context, dst, object []byte) ([]byte, error) {
	return engine.Convert(ctx, c, dst, object, nil)
}

// Try converts an object, if its plan does.
func (c *converter) Try(ctx context.Context, dst, object []byte) ([]byte, *engine.Refusal) {
	out, why := c.plan.Append(ctx, dst, object)
	return out, c.refusals[why]
}

// TryFirst converts the object that text begins with, if its plan does.
func (c *converter) TryFirst(ctx context.Context, dst, text []byte, depth int) ([]byte, int, *engine.Refusal) {
	out, length, why := c.plan.AppendFirst(ctx, dst, text, depth)
	return out, length, c.refusals[why]
}
