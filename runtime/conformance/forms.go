package conformance

// Root is [Version] for methods that take the hub as an interface I, as ConvertTo and ConvertFrom do. *H implements I.
func Root[H, A, I any](label string, up, down func(a *A, hub I) error) Spoke {
	return Version(label,
		func(a *A, h *H) error { return up(a, any(h).(I)) },
		func(a *A, h *H) error { return down(a, any(h).(I)) })
}

// Step is [Version] for functions that convert from their first argument to their second.
func Step[A, H any](label string, up func(a *A, h *H) error, down func(h *H, a *A) error) Spoke {
	return Version(label, up, func(a *A, h *H) error { return down(h, a) })
}
