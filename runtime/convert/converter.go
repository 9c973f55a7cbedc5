package convert

import (
	"strings"
	"sync"

	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratakube/strata/runtime/internal/jsontext"
)

// Converter converts the JSON of objects of one kind between two versions by their [Plan], without
// making objects of it. It may be used from several goroutines.
type Converter struct {
	ways []*way
}

// NewConverter returns the converter between two versions of a kind, which are API versions or the
// hub's storage version; nil if there is no plan for one of them, or both are one.
func NewConverter(kind schema.GroupKind, from, to string) *Converter {
	c := &Converter{}
	up, hub := newWay(kind, from, true)
	down, other := newWay(kind, to, false)
	switch {
	case from == to:
		return nil
	case up != nil && hub == other:
		c.ways = []*way{up, down}
	case up != nil && hub == to:
		c.ways = []*way{up}
	case down != nil && other == from:
		c.ways = []*way{down}
	default:
		return nil
	}
	return c
}

// Planned returns the conversions of a kind's JSON by its plans, which add registers: from an API
// version to the hub, up, or from the hub to it. Generated tests call it; see [Converter.Append].
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
		if failed != nil || c == nil {
			return nil, false
		}
		return c.Append(nil, object)
	}
}

type planned struct {
	version string
	up      bool
}

// Steps returns how many conversions an object goes through: two where neither version is the hub.
func (c *Converter) Steps() int { return len(c.ways) }

// Append converts an object, and appends the result to dst. It refuses with false what takes an
// object to convert: values of the wrong type or spelled in a rare way, unknown members, damaged or
// hidden values, and what is no JSON; then dst is as it was. What it does not refuse is what
// [Decode], the generated conversions and [Encode] would give, as JSON values. Metadata stays as it
// is spelled.
func (c *Converter) Append(dst, object []byte) ([]byte, bool) {
	out, length := c.AppendFirst(dst, object, jsontext.MaxDepth)
	if end := (jsontext.Cursor{Data: object, At: length}); length == 0 || end.Peek() != 0 || end.At != len(object) {
		return out[:len(dst)], false
	}
	return out, true
}

// AppendFirst is Append for the object that text begins with, of which nothing needs to be known,
// and which may be cut off. It tells how long that is; zero, if it refuses. What is nested deeper
// than depth is refused too.
func (c *Converter) AppendFirst(dst, text []byte, depth int) (out []byte, length int) {
	e := edits.Get().(*edit)
	defer edits.Put(e)
	mark, first := len(dst), 0
	if len(c.ways) == 2 {
		scratch := edits.Get().(*edit)
		defer edits.Put(scratch)
		scratch.hub, first = c.ways[0].append(scratch, scratch.hub[:0], text, depth)
		if first == 0 {
			return dst, 0
		}
		text = scratch.hub
	}
	out, length = c.ways[len(c.ways)-1].append(e, dst, text, depth)
	switch {
	case length == 0:
		return out[:mark], 0
	case first > 0:
		return out, first
	}
	return out, length
}

var edits = sync.Pool{New: func() any { return &edit{reader: reader{repeats: new(repeats)}} }}
