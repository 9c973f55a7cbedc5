// Package protofiles reads the protobuf files of a project's kinds of plugins: it compiles them,
// generates the Go side, and finds changes of what has been released. It needs no program but the
// go command, which builds protoc-gen-go at the version of protobuf that the project requires.
//
// A project is a Go module with a file plugin-kinds.json.
package protofiles
