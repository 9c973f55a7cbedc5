package preserve

import (
	"reflect"
	"unsafe"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/hidden"
	"github.com/stratakube/strata/runtime/internal/shape"
	"github.com/stratakube/strata/runtime/internal/watch"
)

// Restore restores the values of src's status bag in the storage object that was converted from
// src. It decides the original version if that is possible without the hub.
func Restore(src runtime.Hider, spec, status any) {
	b := src.StatusBag()
	if b == nil {
		return
	}
	p := ProgramOf(src, shape.Pointee(spec, 2), shape.Pointee(status, 2))
	h, err := hidden.Read(*b)
	if err != nil {
		runtime.Report(p.event(src, runtime.BagDropped, bag.StatusPath, err))
		return
	}
	from, state := pointed(spec), pointed(status)
	r := hidden.NewGoRestorer(watch.Of(src))
	defer r.Done()
	decides := h.Original != nil && from != nil && p.HasOriginal
	wished := decides && h.MakesOriginal(r.Visible(p.Spec, from, p.originalField, p.Replicas), func() []string { return p.declared(src) })
	r.Restore(&h, p.Spec, p.Status, from, state)
	if h.NoStatus && state != nil && reflect.NewAt(p.Status.Type, state).Elem().IsZero() {
		*(*unsafe.Pointer)(shape.Address(status)) = nil
	}
	if decides {
		*p.originalAt(from) = p.Original(&h, wished, func() bool { return p.isWhole(from) })
	}
}

func (p *Program) event(root runtime.Hider, what runtime.Occurrence, path string, err error) runtime.Event {
	return runtime.Event{What: what, Kind: p.Kind, Namespace: root.GetNamespace(), Name: root.GetName(), Path: path, Err: err}
}

// pointed returns the pointer to which a pointer points.
func pointed(pointer any) unsafe.Pointer {
	p := shape.Address(pointer)
	if p == nil {
		return nil
	}
	return *(*unsafe.Pointer)(p)
}
