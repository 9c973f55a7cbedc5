package genruntime

import "reflect"

// Type parameters of functions that generated code calls for each resource are pointers, and their constraints list methods
// alone: then the compiler makes one function for all of them. For a parameter that is a struct it makes one for each
// struct, and further ones for all methods of what the struct embeds: a fifth of the time to compile a provider's code.

// isNil reports whether a pointer in an interface is nil.
func isNil(pointer any) bool { return reflect.ValueOf(pointer).IsNil() }

// blank returns a pointer to a new value. P is the type of the pointer.
func blank[P any]() P { return reflect.New(reflect.TypeFor[P]().Elem()).Interface().(P) }
