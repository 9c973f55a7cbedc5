package convert

import (
	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/watch"
)

// reader steps over JSON that its Go type reads and writes without a change. It refuses all other
// JSON, and rare forms of it; then the caller decodes the object into Go values.
type reader struct {
	jsontext.Cursor
	// depth is the nesting depth of the current value, and deepest the largest depth so far.
	depth, deepest int
	// takesBags means that types with a property bag may have one. bags is set once the reader
	// has met one.
	takesBags, bags bool
	// bagsWithin is the largest offset of the end of a property bag, or zero for no limit.
	bagsWithin int
	// limit is the nesting depth that no value may reach.
	limit   int
	repeats *repeats
	// refusal is the reason why the object is refused.
	refusal Refusal
	// own is the memory for Watch, which ends the conversion when its context is done.
	own *watch.Watch
}

// enter and leave count the nesting depth. enter refuses a value that is nested too deep.
func (r *reader) enter() bool {
	r.depth++
	r.deepest = max(r.deepest, r.depth)
	return r.allows(r.Watch.OK(), Canceled) && r.allows(r.depth < r.limit, TooDeep)
}

func (r *reader) leave() { r.depth-- }

// refuse records the reason to refuse the object, and returns false. The first reason stays,
// unless the context is done.
func (r *reader) refuse(why Refusal) bool {
	switch {
	case r.Watch.Failed():
		r.refusal = Canceled
	case r.refusal == Converted:
		r.refusal = why
	}
	return false
}

// cutOr refuses the object as Incomplete if its text ends here, and else for the given reason.
func (r *reader) cutOr(why Refusal) bool {
	if r.isCut() {
		why = Incomplete
	}
	return r.refuse(why)
}

// isCut reports whether the text ends before or within the current token.
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

// isOfScalar reports whether a byte can be part of a number, or of a word such as true.
func isOfScalar(b byte) bool {
	return 'a' <= b && b <= 'z' || '0' <= b && b <= '9' || b == '-' || b == '+' || b == '.' || b == 'E'
}

// mismatch refuses the value that begins at start, because its type requires another JSON type.
func (r *reader) mismatch(start int) bool {
	r.At = start
	if !r.Skip(jsontext.MaxDepth) {
		return r.cutOr(NotJSON)
	}
	return r.refuse(WrongType)
}

// skip steps over a value of any type. It refuses one that is nested too deep.
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

// raw steps over a value and returns its bytes.
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

// once refuses the object if again is set: a second member has the same name.
func (r *reader) once(again bool) bool { return r.allows(!again, RepeatedMember) }
