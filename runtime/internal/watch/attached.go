package watch

import "sync"

// attached has the watches of the API objects that are being converted, by their pointers. The
// conversion methods of controller-runtime have no parameter for a context.
var attached sync.Map

// Attach makes Of return w for an object until detach is called. Only one goroutine may convert
// the object.
func (w *Watch) Attach(object any) (detach func()) {
	if w == nil {
		return func() {}
	}
	attached.Store(object, w)
	return func() { attached.Delete(object) }
}

// Of returns the watch of an object's conversion, and nil if there is none.
func Of(object any) *Watch {
	if w, ok := attached.Load(object); ok {
		return w.(*Watch)
	}
	return nil
}
