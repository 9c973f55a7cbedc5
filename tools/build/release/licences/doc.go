// Package licences finds the licences of what a module is built of, and reports those that a list
// does not allow.
package licences
