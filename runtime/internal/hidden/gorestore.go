package hidden

import (
	"sync"
	"unsafe"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/shape"
	"github.com/stratakube/strata/runtime/internal/watch"
)

// GoRestorer restores what bags hide, into Go values.
type GoRestorer struct {
	restorer[unsafe.Pointer]
	goValues
}

var goRestorers = sync.Pool{New: func() any {
	r := new(GoRestorer)
	r.into = &r.goValues
	return r
}}

// NewGoRestorer returns a restorer for one object, which ends with a watch; nil for none. The
// caller gives it back by Done.
func NewGoRestorer(until *watch.Watch) *GoRestorer {
	r := goRestorers.Get().(*GoRestorer)
	r.until, r.printer.until = until, until
	return r
}

// Done gives the restorer back, without what it knows of the object.
func (r *GoRestorer) Done() {
	if r.printer.isLong() || max(cap(r.restorer.elements), cap(r.open)) > maxKept {
		return
	}
	r.restorer.forget()
	r.open = truncated(r.open, 0)
	r.printer.forget()
	goRestorers.Put(r)
}

// leastBudget is more than any object has that the API server stores.
const leastBudget = 2 << 20

// Restore puts what a bag hides into the values of the two shapes at two addresses, all of which
// may be nil. First it does so with the values that Decode took out of the API object.
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
