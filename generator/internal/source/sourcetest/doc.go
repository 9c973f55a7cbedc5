// Package sourcetest contains what the tests of front-ends share: golden tests ([Goldens]),
// messages as text ([Report]), for published schemas their folder ([Corpus]) and the properties of
// their result ([Whole], [Determinism]), and for fuzzing the seeds ([Seeds]) and the properties of
// every result ([Check]).
package sourcetest
