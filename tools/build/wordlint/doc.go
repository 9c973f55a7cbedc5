// Package wordlint finds text that does not follow the rules of CONTRIBUTING.md and that a program
// can recognize: words that have a standard replacement, comments of exported names that do not
// begin with the name, names of declarations with a private word, and lines that are too long.
//
// Its test compares the number of findings of each folder with budget.txt. A number that differs is
// a failure: new findings must be mended, and a budget must fall with the text.
package wordlint
