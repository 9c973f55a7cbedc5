// Package shared owns the one cluster that the tests of a package share. It is started for the
// first test that asks for it and stopped after the last, also when the tests are interrupted; when
// they panic, what package process does is enough.
package shared
