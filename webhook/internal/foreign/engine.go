package foreign

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratakube/strata/runtime/convert"
	"github.com/stratakube/strata/webhook/engine"
)

// Engine converts objects of foreign versions, and leaves other pairs to the engine behind. It
// implements engine.Engine.
type Engine struct {
	rest  engine.Engine
	kinds map[schema.GroupKind]*kind
}

type kind struct {
	engine.Kind
	readers map[string]*convert.ForeignReader // by foreign version
}

// New makes an engine before rest. It returns rest itself if no foreign version is registered for
// any of its kinds. Foreign versions must be registered first; registering the types of a scheme
// does that.
func New(rest engine.Engine) engine.Engine {
	e := &Engine{rest: rest, kinds: map[schema.GroupKind]*kind{}}
	for _, k := range rest.Kinds() {
		readers := convert.ForeignsOf(k.GroupKind, k.Hub)
		if len(readers) == 0 {
			continue
		}
		k.Versions = slices.Sorted(slices.Values(slices.Concat(k.Versions, slices.Collect(maps.Keys(readers)))))
		e.kinds[k.GroupKind] = &kind{k, readers}
	}
	if len(e.kinds) == 0 {
		return rest
	}
	return e
}

// Kinds lists the kinds of the engine behind, with their foreign versions.
func (e *Engine) Kinds() []engine.Kind {
	all := e.rest.Kinds()
	for i, k := range all {
		if known := e.kinds[k.GroupKind]; known != nil {
			all[i] = known.Kind
		}
	}
	return all
}

// Converter returns the converter for a pair.
func (e *Engine) Converter(pair engine.Pair) engine.Converter {
	k := e.kinds[pair.Kind]
	if k == nil || pair.From == pair.To || k.readers[pair.From] == nil && k.readers[pair.To] == nil {
		return e.rest.Converter(pair)
	}
	if !slices.Contains(k.Versions, pair.From) || !slices.Contains(k.Versions, pair.To) {
		return nil
	}
	return &converter{kind: k, pair: pair, rest: e.rest}
}

// converter converts a pair with a foreign version through the hub. It implements engine.Costly.
type converter struct {
	*kind
	pair engine.Pair
	rest engine.Engine
}

// Steps returns how many conversions an object may pass through.
func (c *converter) Steps() int {
	steps := 1
	if reader := c.readers[c.pair.From]; reader != nil {
		steps += reader.Conversions()
	}
	return steps
}

// Append converts an object to the hub, and from the hub to the version of the pair. When ctx is
// done, it ends early with the error of ctx.
func (c *converter) Append(ctx context.Context, dst, object []byte) ([]byte, error) {
	hub, err := c.toHub(ctx, object)
	if err != nil {
		return dst, err
	}
	out, err := c.fromHub(ctx, hub)
	if err != nil {
		return dst, err
	}
	return append(dst, out...), nil
}

func (c *converter) toHub(ctx context.Context, object []byte) ([]byte, error) {
	if reader := c.readers[c.pair.From]; reader != nil {
		return reader.Read(ctx, object, c.via)
	}
	return c.via(ctx, c.pair.From, c.Hub, object)
}

func (c *converter) fromHub(ctx context.Context, hub []byte) ([]byte, error) {
	if reader := c.readers[c.pair.To]; reader != nil {
		return reader.Write(ctx, hub, c.via)
	}
	return c.via(ctx, c.Hub, c.pair.To, hub)
}

// via converts an object by the engine behind.
func (c *converter) via(ctx context.Context, from, to string, object []byte) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if from == to {
		return object, nil
	}
	pair := engine.Pair{Kind: c.pair.Kind, From: from, To: to}
	converter := c.rest.Converter(pair)
	if converter == nil {
		return nil, fmt.Errorf("there is no converter for %s", pair)
	}
	return engine.Convert(ctx, converter, nil, object, nil)
}

// copies is how many texts of an object exist at once: the stored one, that of the hub, that of a
// version, and the members and entries of each.
const copies = 16

// Cost returns the cost of the largest of the conversions, and of the texts between them.
func (c *converter) Cost(object []byte) int64 {
	largest := int64(0)
	for _, version := range c.Versions {
		if version == c.Hub || c.readers[version] != nil {
			continue
		}
		for _, pair := range []engine.Pair{{Kind: c.pair.Kind, From: version, To: c.Hub}, {Kind: c.pair.Kind, From: c.Hub, To: version}} {
			if costly, ok := c.rest.Converter(pair).(engine.Costly); ok {
				largest = max(largest, costly.Cost(object))
			}
		}
	}
	return largest + copies*int64(len(object))
}
