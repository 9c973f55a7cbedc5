package scan

import (
	"encoding/json"
	"iter"
)

// Members yields the members of an object in their order, names in their quotes and values without white space around
// them. It stops at the first byte that is wrong, so that callers look at objects that were read before.
func Members(object []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(name, value []byte) bool) {
		var t Text
		t.Reset(object, nil, 0)
		if t.Enter('{') != nil {
			return
		}
		for first := true; ; first = false {
			if more, err := t.Next(first); !more || err != nil {
				return
			}
			t.Peek()
			t.Hold()
			if t.Name() != nil {
				return
			}
			name := closed(t.Since(0))
			t.Peek()
			t.Hold()
			if t.Skip() != nil || !yield(name, t.Since(0)) {
				return
			}
		}
	}
}

// closed cuts a name behind its last quote.
func closed(name []byte) []byte {
	for len(name) > 0 && name[len(name)-1] != '"' {
		name = name[:len(name)-1]
	}
	return name
}

// Member returns the value of a member, the last of that name; nil if there is none.
func Member(object []byte, name string) []byte {
	var found []byte
	for n, value := range Members(object) {
		if Is(n, name) {
			found = value
		}
	}
	return found
}

// Is reports whether a text, in its quotes, is word.
func Is(text []byte, word string) bool {
	if len(text) == len(word)+2 && string(text[1:len(text)-1]) == word {
		return true
	}
	return hasEscape(text) && Unquote(text) == word
}

// Unquote returns what a text says; nothing, if it is none.
func Unquote(text []byte) string {
	if len(text) < 2 || text[0] != '"' {
		return ""
	}
	if !hasEscape(text) {
		return string(text[1 : len(text)-1])
	}
	var s string
	if json.Unmarshal(text, &s) != nil {
		return ""
	}
	return s
}

func hasEscape(text []byte) bool {
	for _, c := range text {
		if c == '\\' {
			return true
		}
	}
	return false
}
