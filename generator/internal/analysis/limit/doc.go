// Package limit compares the constraints of two schemas on values: which are narrower than before,
// and which are wider. Packages older and diff report what it finds.
package limit
