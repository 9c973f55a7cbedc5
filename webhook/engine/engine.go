package engine

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Pair names a conversion: of objects of a kind, from one version of its group to another.
type Pair struct {
	Kind     schema.GroupKind
	From, To string
}

// String spells a pair as in Person.crm.example.com from v20110101 to v20190909.
func (p Pair) String() string {
	return p.Kind.String() + " from " + p.From + " to " + p.To
}

// Source is the group, version and kind that objects are converted from.
func (p Pair) Source() schema.GroupVersionKind { return p.Kind.WithVersion(p.From) }

// Target is the group, version and kind that objects are converted to.
func (p Pair) Target() schema.GroupVersionKind { return p.Kind.WithVersion(p.To) }

// Kind is a kind that an engine serves.
type Kind struct {
	schema.GroupKind
	// Versions are all its versions, the hub's among them, sorted.
	Versions []string
	// Hub is the version that all others convert to and from.
	Hub string
}

// Engine converts objects of some kinds. Its methods are called by many goroutines at once.
type Engine interface {
	// Kinds lists what the engine serves, sorted by group and name. It is the same for the life of the engine.
	Kinds() []Kind
	// Converter returns what converts a pair of different versions, or nil if this engine does not convert them. The
	// answer is the same for the life of the engine; callers keep it.
	Converter(pair Pair) Converter
}

// Converter converts the objects of one pair. Its methods are called by many goroutines at once.
type Converter interface {
	// Append converts an object and appends the result to dst, as the append of the language does, so that the results
	// of many objects share one buffer.
	//
	// Object is one JSON value whose grammar, encoding and depth have been checked; it is an object, and its apiVersion
	// and kind are those of the pair's source. Nothing else of it is known: metadata, spec and status may be missing or
	// of any type, and a name may stand twice, in which case the last counts. Neither object nor anything of dst before
	// its length may be changed, and neither may be kept: both are used anew after the call. The result may not share
	// memory with object, other than by copying.
	//
	// The result is one JSON object with the target's apiVersion and kind, and with metadata, that of the object but
	// for labels and annotations; if the object has none, it is empty.
	//
	// On an error what was appended is of no use: callers go on with the dst that they had. The error names what is
	// wrong, and the JSON path of it where that is known, but neither object nor pair, which callers add. It never holds
	// values of the object.
	Append(ctx context.Context, dst, object []byte) ([]byte, error)
	// Steps is how many conversions an object passes on its way, one after the other.
	Steps() int
}

// Eager is a converter that reads objects itself, so that nobody need look through them before.
type Eager interface {
	Converter
	// AppendFirst is Append for the object that text begins with. It checks grammar, encoding and depth, which may be as
	// many levels as are given; text may be cut off anywhere, and something else may stand behind the object. It tells how
	// many bytes the object has; zero if it does not convert it, for any reason, which Append then finds.
	AppendFirst(ctx context.Context, dst, text []byte, depth int) (out []byte, length int)
}

// Costly is a converter that estimates the memory that it takes. Of others, callers assume some bytes for each byte of the
// object.
type Costly interface {
	Converter
	// Cost returns how many bytes of memory Append takes at most for an object, the result aside. Its time is linear in the
	// length of the object, and it takes no memory.
	Cost(object []byte) int64
}

// First is an engine that hands a pair to the first of the engines that converts it. It serves what any of them serves;
// of a kind that several serve, the first says what its versions are.
func First(engines ...Engine) Engine {
	if len(engines) == 1 {
		return engines[0]
	}
	return chooser(engines)
}

type chooser []Engine

func (c chooser) Converter(pair Pair) Converter {
	for _, e := range c {
		if converter := e.Converter(pair); converter != nil {
			return converter
		}
	}
	return nil
}

func (c chooser) Kinds() []Kind {
	var all []Kind
	for _, e := range c {
		for _, kind := range e.Kinds() {
			if !isIn(all, kind.GroupKind) {
				all = append(all, kind)
			}
		}
	}
	sortKinds(all)
	return all
}
