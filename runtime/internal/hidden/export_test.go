package hidden

// HidesJSON is hidesJSON, for tests.
var HidesJSON = hidesJSON
