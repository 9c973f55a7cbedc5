// Package hotel is a project as people write it by hand, for tests: one kind in three versions, a hub and two spokes, with
// conversions that can fail.
package hotel
