// Package releasetest builds the plugins of recorded releases, in tests of projects that define
// kinds of plugins: a host of today must work with plugins of each release.
//
//	for _, r := range releasetest.Releases(t, "releases") {
//		h := plugintest.Process(t, r.Build(t))
//	}
package releasetest
