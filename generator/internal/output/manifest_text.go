package output

import (
	"bytes"
	"strconv"
)

// manifestText is the text of a manifest in the form of [Manifest.Marshal]: one row on a line. Its
// rows are found without parsing them.
type manifestText struct{ resources, omitted, files [][]byte }

// split returns the rows of a text that has the form of [Manifest.Marshal]. It returns false for
// any other text, also for a manifest of an ejected folder.
func split(body []byte) (m manifestText, ok bool) {
	rest, ok := bytes.CutPrefix(body, []byte("{\n  \"version\": "+strconv.Itoa(ManifestVersion)))
	for _, list := range []struct {
		name string
		rows *[][]byte
	}{{"resources", &m.resources}, {"omitted", &m.omitted}, {"files", &m.files}} {
		if ok {
			*list.rows, rest, ok = cutRows(rest, list.name)
		}
	}
	return m, ok && string(rest) == "\n}\n"
}

// cutRows cuts a list of rows from the beginning of a text.
func cutRows(text []byte, name string) (rows [][]byte, rest []byte, ok bool) {
	rest, ok = bytes.CutPrefix(text, []byte(",\n  \""+name+"\": ["))
	if !ok {
		return nil, nil, false
	}
	for {
		row, found := bytes.CutPrefix(rest, []byte("\n    "))
		if !found {
			break
		}
		end := bytes.IndexByte(row, '\n')
		if end < 0 {
			return nil, nil, false
		}
		line, after := row[:end], row[end:]
		line, more := bytes.CutSuffix(line, []byte(","))
		rows, rest = append(rows, line), after
		if !more {
			rest, ok = bytes.CutPrefix(rest, []byte("\n  "))
			break
		}
	}
	rest, closed := bytes.CutPrefix(rest, []byte("]"))
	return rows, rest, ok && closed
}

// pathOf returns the path of a row of files, or false if it is spelled with escapes.
func pathOf(row []byte) (string, bool) {
	rest, ok := bytes.CutPrefix(row, []byte(`{"path":"`))
	end := bytes.IndexByte(rest, '"')
	if !ok || end < 0 || bytes.IndexByte(rest[:end], '\\') >= 0 {
		return "", false
	}
	return string(rest[:end]), true
}

// outlineOf returns the group, version and kind of a row of resources, or false if they are spelled
// with escapes.
func outlineOf(row []byte) (r Resource, ok bool) {
	_, rest, ok := bytes.Cut(row, []byte(`,"group":"`))
	for _, field := range []struct {
		text *string
		next string
	}{{&r.Group, `","version":"`}, {&r.Version, `","kind":"`}, {&r.Kind, `","plural":"`}} {
		value, after, found := bytes.Cut(rest, []byte(field.next))
		ok = ok && found && !bytes.ContainsAny(value, `\"`)
		*field.text, rest = string(value), after
	}
	return r, ok
}

// sumOf parses a row of files, or returns false if it has another form than [Manifest.Marshal]
// gives it.
func sumOf(row []byte) (FileSum, bool) {
	name, ok := pathOf(row)
	if !ok {
		return FileSum{}, false
	}
	f := FileSum{Path: name}
	rest, ok := bytes.CutPrefix(row[len(`{"path":"`)+len(name):], []byte(`","sha256":"`))
	rest, closed := bytes.CutSuffix(rest, []byte(`"}`))
	return f, ok && closed && f.SHA256.UnmarshalText(rest) == nil && checkPath(name) == nil
}
