// Package hand reads the hand-written steps that stand beside generated code: the
// methods AssignToX and AssignFromX of API, storage and compat types. It parses
// hand-written files and never changes them. Whether a conversion calls a step is
// decided by package plan.
package hand
