//go:build !race

package chaos_test

// buildFlags are the flags with which the storm builds the operator and its plugins. Under the race
// detector they are built with it, too.
var buildFlags []string
