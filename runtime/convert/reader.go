package convert

import (
	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/watch"
)

// reader steps over JSON that a Go type reads and writes again as the same values. It refuses
// whatever else there is, and what is rare: then an object has to be made of it.
type reader struct {
	jsontext.Cursor
	// depth is how deep the value at hand is nested, deepest how deep any was.
	depth, deepest int
	// takesBags lets property bags pass where a type has one. bags is set when one was met.
	takesBags, bags bool
	// bagsWithin is the number of bytes within which property bags may pass; zero for no bound.
	bagsWithin int
	// limit is how deep values may be nested.
	limit   int
	repeats *repeats
	// refusal is the reason why the object is refused.
	refusal Refusal
	// own is the memory of Watch, which ends the conversion with its context.
	own *watch.Watch
}

// enter and leave count how deep a value is nested.
func (r *reader) enter() bool {
	r.depth++
	r.deepest = max(r.deepest, r.depth)
	return r.allows(r.Watch.OK(), Canceled) && r.allows(r.depth < r.limit, TooDeep)
}

func (r *reader) leave() { r.depth-- }

// refuse records why the object is refused, and returns false. The first reason stands, unless the
// context has ended.
func (r *reader) refuse(why Refusal) bool {
	switch {
	case r.Watch.Failed():
		r.refusal = Canceled
	case r.refusal == Converted:
		r.refusal = why
	}
	return false
}

// cutOr refuses the object since its text ends here, or else for the given reason.
func (r *reader) cutOr(why Refusal) bool {
	if r.isCut() {
		why = Incomplete
	}
	return r.refuse(why)
}

// isCut reports whether the text ends within the token at hand, or before it.
func (r *reader) isCut() bool {
	at := r.At
	if at < len(r.Data) && r.Data[at] == '\\' {
		return len(r.Data)-at < len(`\u0000`)
	}
	for at < len(r.Data) && isOfScalar(r.Data[at]) {
		at++
	}
	return at >= len(r.Data)
}

// isOfScalar reports whether a byte stands in a number, or in a word such as true.
func isOfScalar(b byte) bool {
	return 'a' <= b && b <= 'z' || '0' <= b && b <= '9' || b == '-' || b == '+' || b == '.' || b == 'E'
}

// mismatch refuses the value that begins at start, since its place requires another type.
func (r *reader) mismatch(start int) bool {
	r.At = start
	if !r.Skip(jsontext.MaxDepth) {
		return r.cutOr(NotJSON)
	}
	return r.refuse(WrongType)
}

// skip steps over the value at hand, whatever it is.
func (r *reader) skip() bool {
	value := r.Cursor
	switch {
	case r.Skip(r.limit - r.depth):
		return true
	case value.Skip(jsontext.MaxDepth):
		return r.refuse(TooDeep)
	}
	r.Cursor = value
	return r.cutOr(NotJSON)
}

// raw steps over the value at hand and returns its bytes.
func (r *reader) raw() (value runtime.JSON, ok bool) {
	r.Peek()
	start := r.At
	if !r.skip() {
		return nil, false
	}
	return r.Data[start:r.At:r.At], true
}

// allows refuses the object for a reason if a condition does not hold.
func (r *reader) allows(condition bool, otherwise Refusal) bool {
	return condition || r.refuse(otherwise)
}

// once refuses a second member of one name.
func (r *reader) once(again bool) bool { return r.allows(!again, RepeatedMember) }
