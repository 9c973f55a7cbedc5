package jsontree

import (
	"slices"
	"strconv"
	"strings"
)

// Pointer returns the JSON pointer (RFC 6901) of the innermost value at a byte offset, including
// its name. It is computed from the tree, which is fast enough for messages, but not for every
// value.
func (t *Tree) Pointer(offset int) string {
	var pointer strings.Builder
	at := t.Root()
	for {
		index, child := at.around(offset)
		if !child.Exists() {
			return pointer.String()
		}
		pointer.WriteByte('/')
		if at.Kind() == Array {
			pointer.WriteString(strconv.Itoa(index))
		} else {
			pointer.WriteString(escaper.Replace(child.Name()))
		}
		at = child
	}
}

var (
	escaper   = strings.NewReplacer("~", "~0", "/", "~1")
	unescaper = strings.NewReplacer("~1", "/", "~0", "~")
)

// around returns the member or element that contains an offset.
func (n Node) around(offset int) (int, Node) {
	index := 0
	for c := range n.All() {
		if index == few {
			return n.wide().around(offset)
		}
		if c.NameOffset() > offset {
			break
		}
		if offset < int(c.record().end) {
			return index, c
		}
		index++
	}
	return 0, Node{}
}

// Tokens splits a JSON pointer and decodes its escapes. It returns false for a text that is not a
// pointer.
func Tokens(pointer string) ([]string, bool) {
	if pointer == "" {
		return nil, true
	}
	if pointer[0] != '/' {
		return nil, false
	}
	tokens := strings.Split(pointer[1:], "/")
	for i, token := range tokens {
		tokens[i] = unescaper.Replace(token)
	}
	return tokens, true
}

// Child returns the member or element that a token of a pointer names. The name of an element is
// its index without leading zeros.
func (n Node) Child(token string) Node {
	if n.Kind() != Array {
		return n.Member(token)
	}
	i, err := strconv.Atoi(token)
	if err != nil || strconv.Itoa(i) != token {
		return Node{}
	}
	at := 0
	for c := range n.All() {
		if at == few {
			return n.wide().at(i)
		}
		if at == i {
			return c
		}
		at++
	}
	return Node{}
}

// Names returns the names of an object's members, sorted.
func (n Node) Names() []string {
	if n.Kind() != Object {
		return nil
	}
	var names []string
	for c := range n.All() {
		names = append(names, c.Name())
	}
	slices.Sort(names)
	return names
}
