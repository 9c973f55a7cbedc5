// Package standalone treats every module of the workspace as if it were the only one: GOWORK=off,
// with its siblings as published modules from the file proxy of package pack. It proves that each
// module builds so, and tidies it. The go command cannot tidy a module that requires siblings at
// an unpublished version.
//
// The committed go.mod and go.sum stay unchanged. The go command works in the module's own folder
// and reads copies of the two in another folder, which have the packed versions and sums of
// siblings. It may not write the copies, so that anything that the committed files lack is an
// error.
package standalone
