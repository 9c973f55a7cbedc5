// Package sourcetest contains what the tests of front-ends share: golden tests ([Goldens]),
// messages as text ([Report]), and for fuzzing the seeds ([Seeds]) and the properties of every
// result ([Check]).
package sourcetest
