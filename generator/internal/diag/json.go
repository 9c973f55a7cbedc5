package diag

import (
	"bytes"
	"errors"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// JSONError returns the position and the text of an error of a JSON decoder.
func JSONError(file string, body []byte, err error) (Pos, string) {
	offset, pointer, cause := int64(0), jsontext.Pointer(""), err
	if syntactic := (*jsontext.SyntacticError)(nil); errors.As(err, &syntactic) {
		offset, pointer, cause = syntactic.ByteOffset, syntactic.JSONPointer, syntactic.Err
	} else if semantic := (*json.SemanticError)(nil); errors.As(err, &semantic) {
		offset, pointer, cause = semantic.ByteOffset, semantic.JSONPointer, semantic.Err
		if cause == nil {
			cause = errors.New("wants another type of value")
		}
	}
	at := At(file, int(min(offset, int64(len(body)))), pointerPath(pointer))
	return at, strings.TrimPrefix(cause.Error(), "jsontext: ")
}

// JSONValue returns the position of a value in a JSON document, such as "/files/0". If it does not
// exist, or body is not a document, it returns that of the whole file.
func JSONValue(file string, body []byte, pointer jsontext.Pointer) Pos {
	decoder := jsontext.NewDecoder(bytes.NewReader(body))
	for {
		before := decoder.InputOffset()
		if _, err := decoder.ReadToken(); err != nil {
			return At(file, NoOffset, pointerPath(pointer))
		}
		if decoder.StackPointer() == pointer && !isName(decoder) {
			gap := len(body[before:]) - len(bytes.TrimLeft(body[before:], " \t\r\n,:"))
			return At(file, int(before)+gap, pointerPath(pointer))
		}
	}
}

// isName reports whether the last token was the name of a member, and not its value.
func isName(d *jsontext.Decoder) bool {
	kind, n := d.StackIndex(d.StackDepth())
	return kind == '{' && n%2 == 1
}

// pointerPath converts a JSON pointer to a path for messages.
func pointerPath(pointer jsontext.Pointer) string {
	path := ""
	for token := range pointer.Tokens() {
		if token != "" && strings.Trim(token, "0123456789") == "" {
			path += "[" + token + "]"
			continue
		}
		path = Key(path, token)
	}
	return path
}
