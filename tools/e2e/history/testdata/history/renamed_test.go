package proofs

import "slices"

// united are values that properties had before metadata said that they are one, or before hand-written steps derived
// one from the other. Such a property may now be read where only the other was, for nobody can tell from what is stored
// whether it was written before or after; and with the value of the other, which wins if it is live. What was read must
// never vanish.
type united struct {
	names   []string
	derived bool
	values  map[string]bool
}

// unites returns what may be read otherwise than it was then.
func (g generation) unites(then generation, before any) (united, error) {
	u := united{values: map[string]bool{}}
	for _, pair := range g.renames {
		if !slices.Contains(then.renames, pair) {
			u.names = append(u.names, pair[:]...)
		}
	}
	if len(then.derived) == 0 && len(g.derived) > 0 {
		u.derived = true
		u.names = append(u.names, g.derived...)
	}
	if len(u.names) == 0 {
		return u, nil
	}
	for _, v := range then.versions {
		seen, err := then.show(before, v.label)
		if err != nil {
			return u, err
		}
		u.collect(tree(seen))
	}
	return u, nil
}

func (u united) collect(t any) {
	switch t := t.(type) {
	case map[string]any:
		for name, value := range t {
			if slices.Contains(u.names, name) {
				u.values[string(text(value))] = true
			}
			u.collect(value)
		}
	case []any:
		for _, element := range t {
			u.collect(element)
		}
	}
}

// forgive makes equal what may differ, and returns both objects.
func (u united) forgive(got, want map[string]any) (map[string]any, map[string]any) {
	if len(u.names) > 0 {
		u.even(got, want)
	}
	return got, want
}

func (u united) even(got, want any) {
	switch got := got.(type) {
	case map[string]any:
		if want, ok := want.(map[string]any); ok {
			u.evenObjects(got, want)
		}
	case []any:
		if want, ok := want.([]any); ok && len(got) == len(want) {
			for i := range got {
				u.even(got[i], want[i])
			}
		}
	}
}

func (u united) evenObjects(got, want map[string]any) {
	for name, value := range got {
		was, there := want[name]
		switch renamed := slices.Contains(u.names, name); {
		case renamed && !there && u.known(value):
			delete(got, name)
			continue
		case renamed && there && u.values[string(text(value))]:
			got[name] = was
		}
		u.even(got[name], was)
	}
}

// known reports whether a value may be that of the other property. An object may be so in another shape.
func (u united) known(value any) bool {
	if u.derived {
		return true
	}
	switch value.(type) {
	case map[string]any, []any:
		return true
	}
	return u.values[string(text(value))]
}
