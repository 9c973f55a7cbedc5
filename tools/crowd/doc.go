// Package crowd makes many resources of the worked example: persons, parties and notes in turn, each in three of its
// versions in turn. The notes belong to one person. Whoever tries an operator with many resources is its caller.
package crowd
