// Package plugintest runs plugins in the tests of their authors. It runs them in memory, which is
// quick and can be debugged, and as the process that hosts will start. In both cases calls go
// through gRPC, and the result is what a host returns:
//
//	h := plugintest.InMemory(t, func(s *plugin.Server) { provider.Register(s, "example.com/files", newFiles) })
//	p := plugintest.Get(t, h, latest.Latest, "example.com/files", nil)
package plugintest
