package hidden

// maxLeaves is how many leaves the elements of one list may have together.
const maxLeaves = 1 << 16
