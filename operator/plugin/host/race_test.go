//go:build race

package host_test

var raceFlags = []string{"-race"}
