// Package foreign converts objects of versions in which another program stored them.
//
// Its [Engine] stands before the engines of plans and of Go types, and calls them for each of its
// steps. It passes every other pair on.
package foreign
