// Package plugin is what authors of plugins import. A main of ten lines serves what it registers:
//
//	plugin.Serve(func(s *plugin.Server) {
//		provider.Register(s, "example.com/files", newFiles)
//	})
//
// Each version of each kind of plugin is a package of its own, with a Go interface, its messages, and Register:
// provider/v1, provider/v2, credentials/v1 and so on. A plugin registers whichever it likes, under as many names as it
// likes. Which of them is used is the business of package host; how versions are made is that of package contract.
package plugin
