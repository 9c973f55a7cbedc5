// Package review implements the wire format of conversion: ConversionReview of
// apiextensions.k8s.io/v1, as the API server sends and expects it.
//
// It contains [Reader], which splits a review into objects as it arrives without decoding them, and
// [Writer], which assembles the answer as objects become ready. Reading and writing alternate, so
// that neither the review nor the answer needs to be in memory as a whole.
//
// Package webhook calls it.
package review
