package label

// OriginalVersion is the member of storage specs that has the original version.
const OriginalVersion = "originalVersion"
