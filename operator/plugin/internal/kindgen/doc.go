// Package kindgen generates code from the protobuf service of a version of a kind of plugin. The
// code has the definition of the version, except for its steps from earlier versions; Register;
// and the client. The interface and the steps are hand-written. The command strata-plugin-kinds
// calls it, and so does protoc-gen-strata-plugin, for projects that call buf or protoc
// themselves.
package kindgen
