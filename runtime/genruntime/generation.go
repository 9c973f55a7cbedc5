package genruntime

// GeneratedCodeNeedsStrataRuntime1 is referred to by every generated package. If the reference
// does not compile, the strata that generated the code is newer than this module. Update the
// runtime, or generate again with the older strata.
const GeneratedCodeNeedsStrataRuntime1 = true
