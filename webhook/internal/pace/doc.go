// Package pace measures how fast a client sends a review or reads an answer, and interrupts one
// that is too slow.
//
// It contains [Rate], the required speed, and [Meter], which measures one exchange. Only the time
// of waiting for the client counts, and not the time of conversions.
//
// Package webhook calls it.
package pace
