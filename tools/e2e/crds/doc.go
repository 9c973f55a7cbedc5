// Package crds reads CRDs for suites, and makes objects that fill all of a version's schema. It has
// the objects of the worked example.
package crds
