// Package plugin is the package that authors of plugins import. A main function of ten lines serves
// what it registers:
//
//	plugin.Serve(func(s *plugin.Server) {
//		provider.Register(s, "example.com/files", newFiles)
//	})
//
// Each version of each kind of plugin is a package of its own, with a Go interface, its messages,
// and Register: provider/v1, provider/v2, credentials/v1 and so on. A plugin registers any of them,
// under any number of names. Package host chooses which of them is used. Package contract defines
// what a version is.
package plugin
