// Package counting passes the number of conversions from generated code to the observer of
// package runtime. Only package runtime calls [Set].
package counting

import "sync/atomic"

var count atomic.Pointer[func(part string)]

// Set sets the function that counts conversions; nil for none.
func Set(f func(part string)) {
	if f == nil {
		count.Store(nil)
		return
	}
	count.Store(&f)
}

// Count counts one conversion of a part of an object: "object", "spec" or "status".
func Count(part string) {
	if f := count.Load(); f != nil {
		(*f)(part)
	}
}
