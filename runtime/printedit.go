package runtime

import "strconv"

// printAs is the fingerprint of JSON that conforms to a shape, the same as that of the value that would be made of it.
func (c *cursor) printAs(s *shape) uint64 {
	for s.kind == pointerKind {
		s = s.elem
	}
	switch s.kind {
	case numberKind:
		f, _ := strconv.ParseFloat(borrow(c.raw()), 64)
		return printFloat(f)
	case objectKind:
		return c.printObjectAs(s, nil)
	case listKind:
		var sum elements
		for c.take('['); c.more(']'); {
			sum.add(c.printAs(s.elem))
		}
		return sum.print()
	case dictKind:
		var sum members
		for c.take('{'); c.more('}'); {
			name := printText(nameSeed, c.name())
			sum.add(name, c.printAs(s.elem))
		}
		return sum.print()
	default:
		return c.print()
	}
}

// printObjectAs is the fingerprint of an object, leaving out one member, at a path.
func (c *cursor) printObjectAs(s *shape, without []string) uint64 {
	var sum members
	m := memberReader{of: s}
	for c.take('{'); c.more('}'); {
		name := c.name()
		f, _ := m.find(name)
		switch {
		case f == nil && s.more == nil:
			c.raw()
		case f == nil:
			print := printText(nameSeed, name)
			sum.add(print, c.printAs(s.more.shape.elem))
		case len(without) == 0 || without[0] != f.name:
			sum.add(f.print, c.printMember(f))
		case len(without) > 1 && f.shape.object() != nil:
			sum.add(f.print, c.printObjectAs(f.shape.object(), without[1:]))
		default:
			c.raw()
		}
	}
	return sum.print()
}

func (c *cursor) printMember(f *field) uint64 {
	switch value := c.printAs(f.shape); {
	case f.preset == 0:
		return value
	case value == f.preset:
		return 0
	case value == 0:
		return mix(nothingSeed)
	default:
		return value
	}
}
