// Package protobuf generates the protobuf code of operator/plugin, checks that it is what its files
// give, and that nothing which was released has changed on the wire. The programs that do it are
// tools of tools/build/protobuf/buf, a module outside of the workspace; building them takes
// minutes, once. What is generated is summed up in proto/generated.txt, by which the tests of the
// module find out without them that something was edited and not generated.
package protobuf
