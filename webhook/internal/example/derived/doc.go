// Package derived registers conversions of the example's specs, for tests. The generator registers
// them for kinds whose original version depends on conversions, and Party is none.
package derived
