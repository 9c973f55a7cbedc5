package contract

import "reflect"

// Kind is a kind of plugin, for code that does not know T. Every Version implements it.
type Kind interface {
	Terms() (*Terms, error)
	// Reach returns which of a plugin's versions would be used. Its errors are those of Newest.
	Reach(has func(ID) bool) (native ID, err error)
	// Interfaces returns the interfaces of all versions, from the first to the newest.
	Interfaces() ([]Interface, error)
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

// Interface describes what a plugin must implement for a version. The text changes if plugins would
// no longer compile.
type Interface struct {
	ID
	Type    string
	Methods []string // with their signatures, sorted
}

// Interfaces implements Kind.
func (v *Version[T]) Interfaces() ([]Interface, error) {
	terms, err := v.Terms()
	if err != nil {
		return nil, err
	}
	var all []Interface
	if older := v.definition.Older.older; older != nil {
		if all, err = older(); err != nil {
			return nil, err
		}
	}
	t := reflect.TypeFor[T]()
	i := Interface{ID: terms.ID, Type: t.PkgPath() + "." + t.Name()}
	for n := range t.NumMethod() {
		m := t.Method(n)
		i.Methods = append(i.Methods, m.Name+m.Type.String()[len("func"):])
	}
	return append(all, i), nil
}
