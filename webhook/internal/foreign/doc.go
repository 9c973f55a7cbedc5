// Package foreign converts objects of versions in which another program stored them.
//
// Its [Engine] precedes the engines of plans and of Go types, and calls them for each of its
// steps. It passes all other pairs to them.
package foreign
