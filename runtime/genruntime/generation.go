package genruntime

// GeneratedCodeNeedsStrataRuntime1 is referred to by every generated package. If the reference
// does not compile, a newer strata generated the code than this module belongs to. Update the
// runtime, or generate again with the older strata.
const GeneratedCodeNeedsStrataRuntime1 = true
