package engine

import (
	"cmp"
	"context"
	"errors"

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
	// object is one JSON object whose grammar, encoding and depth have been checked. Its
	// apiVersion and kind are those of the pair's source. Append may assume nothing else:
	// metadata, spec and status may be missing or of any type. If a name appears twice, the last
	// one counts. Append must change neither object nor the bytes of dst before its length, and
	// must not retain them: both are reused after the call. The result must not share memory with
	// object.
	//
	// The result is one JSON object with the target's apiVersion and kind, and with the metadata
	// of object. Only labels and annotations may differ; without metadata, it is empty.
	//
	// After an error the caller ignores the appended bytes, and continues with its own dst. The
	// error describes the fault, with its JSON path if that is known. Callers add the object and
	// the pair. The error never contains values of the object.
	Append(ctx context.Context, dst, object []byte) ([]byte, error)
	// Steps returns how many conversions an object passes through, one after the other.
	Steps() int
}

// Refusal is the reason why a converter does not convert an object, and the converter to use
// instead.
type Refusal struct {
	// Reason is the label of a metric, so that a converter has few of them.
	Reason string
	// Next converts the object. It is nil if IsCut is set, and if the context is done, since no
	// client waits for the object.
	Next Converter
	// IsCut reports that the text ends before its object does, so that the same converter gets the
	// whole object.
	IsCut bool
}

// Selective is a converter that refuses some objects. It knows which converter converts them: its
// Append calls Try, and then that one. A caller that counts refusals does the same.
type Selective interface {
	Converter
	// Try is Append without the objects that the converter refuses. A refused object is not given
	// to Try again.
	Try(ctx context.Context, dst, object []byte) ([]byte, *Refusal)
}

// Eager is a selective converter that checks objects itself, so that callers need not read them
// first.
type Eager interface {
	Selective
	// TryFirst is Try for the object that text begins with. It checks grammar, encoding and depth,
	// of which depth is the limit. text may end anywhere, and other text may follow the object. The
	// length is that of the object, or zero if TryFirst refuses it.
	//
	// The caller then reads and checks the object, and gives it to the converter that the refusal
	// names.
	TryFirst(ctx context.Context, dst, text []byte, depth int) (out []byte, length int, refused *Refusal)
}

// errRefused reports that no converter takes an object.
var errRefused = errors.New("no converter takes the object")

// Convert converts an object with a converter, or with those that its refusals name. It calls
// refused, if that is not nil, with the reason of each refusal. Without a converter, it returns the
// error of ctx.
func Convert(ctx context.Context, c Converter, dst, object []byte, refused func(reason string)) ([]byte, error) {
	out, last, err := Select(ctx, c, dst, object, refused)
	if last == nil {
		return out, err
	}
	return last.Append(ctx, dst, object)
}

// Select is Convert without the converter that refuses nothing: where the refusals lead to one,
// Select returns it instead of a result.
func Select(ctx context.Context, c Converter, dst, object []byte, refused func(reason string)) (out []byte, last Converter, err error) {
	for c != nil {
		selective, ok := c.(Selective)
		if !ok {
			return dst, c, nil
		}
		out, refusal := selective.Try(ctx, dst, object)
		if refusal == nil {
			return out, nil, nil
		}
		if c = refusal.Next; c != nil && refused != nil {
			refused(refusal.Reason)
		}
	}
	return dst, nil, cmp.Or(context.Cause(ctx), errRefused)
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
