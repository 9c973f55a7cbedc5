// Package v1 is version 1 of a kind of plugin that stores notes. Each later version shows a
// possible change.
package v1

import "context"

// Notes is what a plugin implements.
type Notes interface {
	Put(context.Context, *PutText) (*Done, error)
	List(context.Context, *Page) (*Texts, error)
	Purge(context.Context, *Nothing) (*Done, error)
}

// Version is version 1 of the kind.
var Version = define()
