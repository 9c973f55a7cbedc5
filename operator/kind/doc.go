// Package kind owns what a scheme of generated types says about the kinds of an operator: for each, the hub that the
// cluster stores, the API versions with what they are called outside, and whose child it is outside.
package kind
