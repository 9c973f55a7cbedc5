// Package golden runs tests whose cases are txtar archives: each says in its comment why it is there, and holds what
// goes in and what is to come out.
package golden
