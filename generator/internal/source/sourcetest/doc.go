// Package sourcetest has what the tests of front-ends share: goldens ([Goldens]),
// what is reported as text ([Report]), and for fuzzing the seeds ([Seeds]) and what
// holds whatever was read ([Check]).
package sourcetest
