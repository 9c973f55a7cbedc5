// Package fieldowner changes a field of an object, and gives it back to those who owned it before.
// Packages dependents and rewrite call it.
package fieldowner
