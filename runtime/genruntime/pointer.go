package genruntime

import "reflect"

// Generated code calls some generic functions for every resource. Their type parameters are
// pointers, and their constraints list only methods. So the compiler makes one function for all
// pointers. For a struct it would make one for each struct, and a wrapper for every method of the
// types that the struct embeds.

// isNil reports whether a pointer in an interface is nil.
func isNil(pointer any) bool { return reflect.ValueOf(pointer).IsNil() }

// blank returns a pointer to a new value. P is the type of the pointer.
func blank[P any]() P { return reflect.New(reflect.TypeFor[P]().Elem()).Interface().(P) }
