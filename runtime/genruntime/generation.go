package genruntime

// GeneratedCodeNeedsStrataRuntime1 is named by every generated package. When it does not compile,
// the generated code is of a newer strata than this module: update the runtime, or generate again
// with the older strata.
const GeneratedCodeNeedsStrataRuntime1 = true
