package watch

import "sync"

// attached are the watches of the API objects that are being converted, by their pointers. The
// methods of controller-runtime that convert objects take no context.
var attached sync.Map

// Attach makes Of return w for an object until detach is called. One goroutine converts an object.
func (w *Watch) Attach(object any) (detach func()) {
	if w == nil {
		return func() {}
	}
	attached.Store(object, w)
	return func() { attached.Delete(object) }
}

// Of returns the watch over the conversion of an object; nil for none.
func Of(object any) *Watch {
	if w, ok := attached.Load(object); ok {
		return w.(*Watch)
	}
	return nil
}
