package label

// OriginalVersion is the name of the member of storage specs that has the original version.
const OriginalVersion = "originalVersion"
