// Package filelayers finds files of one package that use each other in a circle.
//
// A file uses another one if it names a function, a method, a type, a variable or a constant that
// the other one declares. Files without circles form layers: a reader begins with those that use no
// other file. Fields of structs and test files do not count.
package filelayers
