// Package host is the package that programs that use plugins import. A Host knows the plugins, and
// returns the newest interface of a kind for a name, whichever version the plugin implements:
//
//	h, err := host.Open(host.Options{Plugins: plugins})
//	defer h.Stop(ctx)
//	p, err := host.Get(ctx, h, provider.Latest, "example.com/files", nil)
//
// The host starts a process when it is first needed, a few at a time, and again after it has ended.
// It makes every instance again before its next call. What Get returns is valid until Stop.
package host
