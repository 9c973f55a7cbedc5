// Package converter converts objects by another program, the webhook of a release, which speaks
// ConversionReviews over its standard input and output. The answers are hostile until checked.
// Package upgrade calls it.
package converter
