// Package scaffold owns the beginning of a project: [Look], which finds what an API
// could be generated from in a folder, and [Choices.Files], which writes a commented
// strata.yaml of it, and a main for the conversion webhook.
//
// It reads the beginnings of files only, follows no links, and understands none of what it
// finds: that is for the front-ends. The command line asks, and is its caller.
package scaffold
