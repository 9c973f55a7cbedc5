// Package hotel is a hand-written project for tests: one kind in three versions, a hub and two
// spokes, with conversions that can fail.
package hotel
