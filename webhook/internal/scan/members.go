package scan

import (
	"encoding/json"
	"iter"
)

// Members yields the members of an object in their order: names with their quotes, and values
// without surrounding white space. It stops at the first error without reporting it, so that
// callers should pass text that was checked before.
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

// closed removes what follows the last quote of a name.
func closed(name []byte) []byte {
	for len(name) > 0 && name[len(name)-1] != '"' {
		name = name[:len(name)-1]
	}
	return name
}

// Member returns the value of the last member with a name; nil if there is none.
func Member(object []byte, name string) []byte {
	var found []byte
	for n, value := range Members(object) {
		if Is(n, name) {
			found = value
		}
	}
	return found
}

// Is reports whether a JSON string, with its quotes, equals word.
func Is(text []byte, word string) bool {
	if len(text) == len(word)+2 && string(text[1:len(text)-1]) == word {
		return true
	}
	return hasEscape(text) && Unquote(text) == word
}

// Unquote returns the value of a JSON string; "" if text is not one.
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
