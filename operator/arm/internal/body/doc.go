// Package body works on the JSON of resources: paths into it, values that are put there or taken
// from there, and what differs between what a user wrote and what Azure has. Numbers keep all their
// digits.
package body
