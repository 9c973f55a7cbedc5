// Package host is what programs that use plugins import. A Host knows which plugins there are, and hands out the newest
// interface of a kind for a name, whatever the plugin implements:
//
//	h, err := host.Open(host.Options{Plugins: plugins})
//	defer h.Stop(ctx)
//	p, err := host.Get(ctx, h, provider.Latest, "example.com/files", nil)
//
// Processes are started when they are first needed, a few at a time, and again when they have ended, with every instance
// made anew before its next call. What is handed out stays good until Stop.
package host
