// Package standalone treats every module of the workspace as if it were the only one: GOWORK=off,
// with its siblings as published modules out of the file proxy of package pack. It proves that each
// builds that way, and tidies them, which the go command cannot do while siblings are required at a
// version that is published nowhere.
//
// The committed go.mod and go.sum stay as they are. The go command works in the module's own folder
// and reads copies of the two, kept elsewhere, in which the siblings stand at their packed versions
// and sums. The copies are read-only to it, so that whatever is missing in the committed files is
// an error.
package standalone
