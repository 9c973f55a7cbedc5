// Package scaffold creates the files of a new project, in four stages:
//
//   - [Look] detects what is in a folder: files that an API can be generated from, the Go packages
//     among them, and what only looks like such a file. It decides which of them are sources.
//   - [Choices] are what flags set. [Questions] are what a user is asked about the rest, and
//     [Choices.Complete] sets what the user did not choose.
//   - [Choices.Files] returns the files: a commented strata.yaml, programs for the webhook and the
//     operator, and for a new API its first Go file.
//   - [Choices.Next] returns the commands that follow.
//
// Look follows no links, and interprets no schema; the front-ends do. It reads the beginnings of
// files, and more of CRDs and of Go packages with resources. The command line asks the questions.
package scaffold
