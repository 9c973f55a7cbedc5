package runtime

import "slices"

// tree is a JSON value that can be changed. What nobody looks into stays as it was spelled.
type tree struct {
	// raw is the value as it was read; nil where it was made or looked into.
	raw JSON
	// open is the bracket of an object or a list that was made or looked into.
	open  byte
	names []string
	parts []*tree
}

// treeOf returns a tree of JSON that is known to be valid.
func treeOf(data JSON) *tree { return &tree{raw: data} }

func newObject() *tree { return &tree{open: '{'} }

// kind is the first byte of the value: one of {["tfn, a minus or a digit; zero for no value.
func (t *tree) kind() byte {
	if t.open != 0 {
		return t.open
	}
	return (&cursor{data: t.raw}).peek()
}

func (t *tree) isNull() bool { return t.kind() == 'n' }

// look reads the members of an object or the elements of a list.
func (t *tree) look() *tree {
	bracket := t.kind()
	if t.open != 0 || bracket != '{' && bracket != '[' {
		return t
	}
	c := cursor{data: t.raw}
	for c.take(bracket); c.more(bracket + 2); {
		if bracket == '{' {
			t.names = append(t.names, string(c.name()))
		}
		t.parts = append(t.parts, treeOf(c.raw()))
	}
	t.raw, t.open = nil, bracket
	return t
}

// member returns the member of an object with a name, the last where there are several; nil where there is none.
func (t *tree) member(name string) *tree {
	if t == nil || t.kind() != '{' {
		return nil
	}
	t.look()
	for i := len(t.names) - 1; i >= 0; i-- {
		if t.names[i] == name {
			return t.parts[i]
		}
	}
	return nil
}

// set makes value the member with a name.
func (t *tree) set(name string, value *tree) {
	t.remove(name)
	t.names, t.parts = append(t.names, name), append(t.parts, value)
}

// insert is set for objects whose members are sorted.
func (t *tree) insert(name string, value *tree) {
	t.remove(name)
	i, _ := slices.BinarySearch(t.names, name)
	t.names, t.parts = slices.Insert(t.names, i, name), slices.Insert(t.parts, i, value)
}

// remove takes away the members with a name.
func (t *tree) remove(name string) {
	t.look()
	for i := len(t.names) - 1; i >= 0; i-- {
		if t.names[i] == name {
			t.drop(i)
		}
	}
}

func (t *tree) drop(i int) {
	if t.open == '{' {
		t.names = slices.Delete(t.names, i, i+1)
	}
	t.parts = slices.Delete(t.parts, i, i+1)
}

// isEmpty tells whether an object or a list has nothing in it.
func (t *tree) isEmpty() bool { return len(t.look().parts) == 0 }

// append appends the value as JSON.
func (t *tree) append(out []byte) []byte {
	if t.open == 0 {
		return append(out, t.raw...)
	}
	out = append(out, t.open)
	for i, part := range t.parts {
		if i > 0 {
			out = append(out, ',')
		}
		if t.open == '{' {
			out = append(appendText(out, t.names[i]), ':')
		}
		out = part.append(out)
	}
	return append(out, t.open+2)
}

// json returns the value as JSON.
func (t *tree) json() JSON { return t.append(nil) }
