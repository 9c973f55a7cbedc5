// Package pace measures how fast a client sends a review or takes an answer, and interrupts one that is too slow.
//
// It owns [Rate], the least that is demanded, and [Meter], which measures one exchange. Only the time in which the client is
// waited for counts: a conversion that takes long is not the client's fault.
//
// Package webhook is its caller.
package pace
