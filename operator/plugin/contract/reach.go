package contract

// Kind is a kind of plugin, for code that does not know T. Every Version implements it.
type Kind interface {
	Terms() (*Terms, error)
	// Reach returns which of a plugin's versions would be used. Its errors are those of Newest.
	Reach(has func(ID) bool) (native ID, err error)
}

// Reach implements Kind.
func (v *Version[T]) Reach(has func(ID) bool) (native ID, err error) {
	_, err = v.Newest(func(t *Terms) (Caller, error) {
		if !has(t.ID) {
			return nil, ErrNotServed
		}
		native = t.ID
		return nil, nil
	})
	return native, err
}
