// Package scaffold creates the files of a new project. [Look] finds in a folder what an API can be
// generated from. [Choices.Files] returns a commented strata.yaml for it, and a program for the
// conversion webhook.
//
// It reads only the beginnings of files, follows no links, and does not interpret what it finds;
// the front-ends do. The command line asks the questions, and calls it.
package scaffold
