package hidden

import (
	"sync"
	"unsafe"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/shape"
	"github.com/stratakube/strata/runtime/internal/watch"
)

// GoRestorer restores the hidden values of bags in Go values.
type GoRestorer struct {
	restorer[unsafe.Pointer]
	goValues
}

var goRestorers = sync.Pool{New: func() any {
	r := new(GoRestorer)
	r.into = &r.goValues
	return r
}}

// NewGoRestorer returns a restorer for one object. Until ends it; nil for no limit. The caller
// must call Done.
func NewGoRestorer(until *watch.Watch) *GoRestorer {
	r := goRestorers.Get().(*GoRestorer)
	r.until, r.printer.until = until, until
	return r
}

// Done returns the restorer to the pool, without references to the object.
func (r *GoRestorer) Done() {
	if r.printer.isLong() || max(cap(r.restorer.elements), cap(r.open)) > maxKept {
		return
	}
	r.restorer.forget()
	r.open = truncated(r.open, 0)
	r.printer.forget()
	goRestorers.Put(r)
}

// leastBudget is larger than any object that an API server stores.
const leastBudget = 2 << 20

// Restore restores the hidden values of a bag in a spec and a status, which are at p and q. Both
// may be nil. It restores the values that Decode removed from the API object first.
func (r *GoRestorer) Restore(b *Bag, spec, status *shape.Shape, p, q unsafe.Pointer) {
	r.trusts, r.raw = b.trusts(), true
	jsontext.EachMember(b.Raw, func(section []byte, hidden runtime.JSON) {
		switch string(section) {
		case "spec":
			r.inSection(goNode{spec, p}, hidden)
		case "status":
			r.inSection(goNode{status, q}, hidden)
		}
	})
	r.raw = false
	r.inSection(goNode{spec, p}, b.Spec)
	r.inSection(goNode{status, q}, b.Status)
}

func (r *GoRestorer) inSection(n goNode, hidden runtime.JSON) {
	r.budget = leastBudget + len(hidden)
	r.section(n, hidden)
}
