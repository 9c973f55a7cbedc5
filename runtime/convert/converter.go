package convert

import (
	"context"
	"strings"
	"sync"

	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/watch"
)

// Converter converts the JSON of objects of one kind between two versions by their [Plan],
// without decoding it into Go values. It is safe for concurrent use.
type Converter struct {
	directions []*direction
}

// NewConverter returns the converter between two versions of a kind. Each is an API version or
// the hub's storage version. It returns nil if one of them has no plan, or if both are the same.
func NewConverter(kind schema.GroupKind, from, to string) *Converter {
	c := &Converter{}
	up, hub := newDirection(kind, from, true)
	down, other := newDirection(kind, to, false)
	switch {
	case from == to:
		return nil
	case up != nil && hub == other:
		c.directions = []*direction{up, down}
	case up != nil && hub == to:
		c.directions = []*direction{up}
	case down != nil && other == from:
		c.directions = []*direction{down}
	default:
		return nil
	}
	return c
}

// Planned returns a function that converts the JSON of a kind by its plans, which add registers.
// It converts from an API version to the hub if up is set, and else from the hub to the version.
// Generated tests call it; see [Converter.Append].
func Planned(group, kind string, add func(*k8sruntime.Scheme) error) func(version string, up bool, object []byte) ([]byte, bool) {
	failed := add(k8sruntime.NewScheme())
	of := schema.GroupKind{Group: group, Kind: kind}
	var converters sync.Map // planned -> *Converter
	return func(version string, up bool, object []byte) ([]byte, bool) {
		key := planned{version, up}
		known, ok := converters.Load(key)
		if !ok {
			from, to := version, ""
			if p, ok := planOf(of, version); ok {
				_, to, _ = strings.Cut(p.HubVersion, "/")
			}
			if !up {
				from, to = to, from
			}
			known, _ = converters.LoadOrStore(key, NewConverter(of, from, to))
		}
		c := known.(*Converter)
		if failed != nil {
			return nil, false
		}
		out, why := c.Append(context.Background(), nil, object)
		return out, why == Converted
	}
}

type planned struct {
	version string
	up      bool
}

// Steps returns the number of conversions of an object: two if neither version is the hub, else
// one.
func (c *Converter) Steps() int { return len(c.directions) }

// Append converts an object, and appends the result to dst. It refuses objects that plans do not
// support; [Refusal] lists the reasons. It then returns dst, and the caller converts the object
// by Go types, at a higher cost.
//
// The result has the same JSON values as [Decode], the generated conversions and [Encode] would
// give. Metadata keeps its spelling.
func (c *Converter) Append(ctx context.Context, dst, object []byte) ([]byte, Refusal) {
	out, length, why := c.AppendFirst(ctx, dst, object, jsontext.MaxDepth)
	end := jsontext.Cursor{Data: object, At: length}
	switch {
	case why == Incomplete:
		return out, NotJSON
	case why != Converted:
		return out, why
	case end.Peek() != 0 || end.At != len(object):
		return out[:len(dst)], NotJSON
	}
	return out, Converted
}

// AppendFirst is Append for the object that text begins with. It checks grammar, encoding and
// depth, which must be below depth. Text may end anywhere, and other text may follow the object.
// Length is the length of the object in text, or zero if AppendFirst refuses it.
//
// A nil Converter refuses every object, since it has no plan.
func (c *Converter) AppendFirst(ctx context.Context, dst, text []byte, depth int) (out []byte, length int, why Refusal) {
	if c == nil {
		return dst, 0, NoPlan
	}
	first, scratch := c.directions[0], newEdit(ctx)
	defer scratch.done()
	if len(c.directions) == 1 {
		return appended(first, scratch, dst, text, depth)
	}
	scratch.through = true
	hub, length, why := first.append(scratch, scratch.hub[:0], text, depth)
	scratch.hub = hub
	if why != Converted {
		return dst, 0, why
	}
	e := newEdit(ctx)
	defer e.done()
	out, second, why := appended(c.directions[1], e, dst, hub, depth)
	if second == 0 {
		return out, 0, why
	}
	return out, length, Converted
}

// appended converts text in one direction and appends the result to dst. It appends nothing if
// the direction refuses the object.
func appended(w *direction, e *edit, dst, text []byte, depth int) ([]byte, int, Refusal) {
	out, length, why := w.append(e, dst, text, depth)
	if why != Converted {
		return out[:len(dst)], 0, why
	}
	return out, length, Converted
}

var edits = sync.Pool{New: func() any { return &edit{reader: reader{repeats: new(repeats), own: new(watch.Watch)}} }}

// newEdit returns an edit from the pool, whose conversion ends when ctx is done.
func newEdit(ctx context.Context) *edit {
	e := edits.Get().(*edit)
	e.Watch = e.own.Over(ctx)
	return e
}

// done returns the edit to the pool.
func (e *edit) done() {
	e.own.Forget()
	e.Watch, e.through = nil, false
	edits.Put(e)
}
