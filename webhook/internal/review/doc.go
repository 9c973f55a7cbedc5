// Package review is the wire format of conversion: ConversionReview of apiextensions.k8s.io/v1, as the API server of
// Kubernetes sends and wants it.
//
// It owns [Reader], which takes a review apart as it arrives, one object at a time and none of them decoded, and [Writer],
// which puts the answer together as objects become ready. Reading and writing take turns, so that neither review nor
// answer need be in memory as a whole.
//
// Package webhook is its caller.
package review
