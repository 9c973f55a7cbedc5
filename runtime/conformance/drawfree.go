package conformance

import "strconv"

// free returns a compact JSON value of any type except null.
func (d *drawer) free() []byte {
	d.reserve(512)
	start := len(d.chunk)
	d.chunk = d.appendValue(d.chunk, 2)
	end := len(d.chunk)
	return d.chunk[start:end:end]
}

func (d *drawer) appendValue(out []byte, depth int) []byte {
	if depth > 0 {
		switch d.next() & 7 {
		case 0, 1:
			return d.appendArray(out, depth-1)
		case 2, 3:
			return d.appendObject(out, depth-1)
		}
	}
	return append(out, freeScalars[d.below(len(freeScalars))]...)
}

func (d *drawer) appendArray(out []byte, depth int) []byte {
	out = append(out, '[')
	for i := range d.below(4) {
		if i > 0 {
			out = append(out, ',')
		}
		out = d.appendInner(out, depth)
	}
	return append(out, ']')
}

// appendObject writes members in descending order of their names.
func (d *drawer) appendObject(out []byte, depth int) []byte {
	out = append(out, '{')
	for i := d.below(4); i > 0; i-- {
		out = append(out, '"', 'm')
		out = strconv.AppendInt(out, int64(i), 10)
		out = append(out, '"', ':')
		out = d.appendInner(out, depth)
		if i > 1 {
			out = append(out, ',')
		}
	}
	return append(out, '}')
}

func (d *drawer) appendInner(out []byte, depth int) []byte {
	if d.next()&7 == 0 {
		return append(out, "null"...)
	}
	return d.appendValue(out, depth)
}

var freeScalars = [...]string{
	"0", "-1", "1.0", "1e2", "1E-7", "-0", "9007199254740993", "12345678901234567890", "0.1000000000000000055",
	"true", "false", `""`, `"text"`, `"<&>"`, `"Grüße"`, `"\u00fc\/"`, `"\"\\\n"`, `"🙂"`, `"null"`, "[]", "{}",
}
