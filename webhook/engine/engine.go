package engine

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Pair names a conversion: the kind, and the versions of its group from which and to which objects
// convert.
type Pair struct {
	Kind     schema.GroupKind
	From, To string
}

// String formats a pair, such as Person.crm.example.com from v20110101 to v20190909.
func (p Pair) String() string {
	return p.Kind.String() + " from " + p.From + " to " + p.To
}

// Source returns the group, version and kind that objects are converted from.
func (p Pair) Source() schema.GroupVersionKind { return p.Kind.WithVersion(p.From) }

// Target returns the group, version and kind that objects are converted to.
func (p Pair) Target() schema.GroupVersionKind { return p.Kind.WithVersion(p.To) }

// Kind is a kind that an engine serves.
type Kind struct {
	schema.GroupKind
	// Versions are all its versions, including the hub, sorted.
	Versions []string
	// Hub is the version that all others convert to and from.
	Hub string
}

// Engine converts objects of some kinds. Its methods are safe for concurrent use.
type Engine interface {
	// Kinds lists the kinds that the engine serves, sorted by group and name. The list never
	// changes.
	Kinds() []Kind
	// Converter returns the converter for a pair of different versions, or nil if this engine does
	// not convert them. The result never changes, so that callers may store it.
	Converter(pair Pair) Converter
}

// Converter converts the objects of one pair. Its methods are safe for concurrent use.
type Converter interface {
	// Append converts an object and appends the result to dst, like the built-in append, so that
	// the results of many objects share one buffer.
	//
	// object is one JSON object whose grammar, encoding and depth have been checked. Its apiVersion
	// and kind are those of the pair's source. Nothing else of it is known: metadata, spec and
	// status may be missing or of any type, and a name may appear twice; then the last one counts.
	// Append must neither change object nor the bytes of dst before its length, and must keep
	// neither: both are reused after the call. The result must not share memory with object.
	//
	// The result is one JSON object with the target's apiVersion and kind, and with the metadata of
	// object. Only labels and annotations may differ; without metadata, it is empty.
	//
	// After an error the caller ignores what was appended, and goes on with its own dst. The error
	// names what is wrong, and its JSON path if that is known. Callers add the object and the pair.
	// The error never contains values of the object.
	Append(ctx context.Context, dst, object []byte) ([]byte, error)
	// Steps returns how many conversions an object passes through, one after the other.
	Steps() int
}

// Eager is a converter that checks objects itself, so that callers need not read them first.
type Eager interface {
	Converter
	// AppendFirst converts the object that text begins with, as Append does. It checks grammar,
	// encoding and depth, of which depth is the limit. text may end anywhere, and other text may
	// follow the object. The length is that of the object, or zero if AppendFirst does not convert
	// it. Append then finds the reason.
	AppendFirst(ctx context.Context, dst, text []byte, depth int) (out []byte, length int)
}

// Costly is a converter that estimates its use of memory. For others, callers assume a number of
// bytes for each byte of the object.
type Costly interface {
	Converter
	// Cost returns how many bytes of memory Append uses at most for an object, without the result.
	// It takes time linear in the length of the object, and allocates nothing.
	Cost(object []byte) int64
}

// First returns an engine that passes a pair to the first of the engines that converts it. It
// serves the kinds of all engines. If several serve a kind, the first one determines its versions.
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
