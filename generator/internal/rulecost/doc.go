// Package rulecost judges the rules of CRDs (CEL) as API servers do: whether a rule compiles, and
// what it may cost. An API server refuses a CRD with a rule that does not compile or that may cost
// too much, and one whose rules may cost too much together.
//
// It uses the packages of the API server. [Of] estimates one rule, for the printers of CRDs.
// [Added] compares the schemas of two states of a version, for comparisons.
package rulecost
