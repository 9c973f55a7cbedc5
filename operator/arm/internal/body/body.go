package body

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Object decodes a JSON object, and refuses text after it. Empty data is an object without
// members.
func Object(data []byte) (map[string]any, error) {
	if len(bytes.TrimSpace(data)) == 0 {
		return map[string]any{}, nil
	}
	value, err := Value(data)
	if err != nil {
		return nil, err
	}
	object, ok := value.(map[string]any)
	if !ok {
		return nil, errors.New("it is JSON, but no object")
	}
	return object, nil
}

// Value decodes JSON, and refuses text after it. Numbers keep all their digits.
func Value(data []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var value any
	if err := d.Decode(&value); err != nil {
		return nil, fmt.Errorf("read JSON: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("read JSON: something follows it")
	}
	return value, nil
}

// Encode returns JSON with sorted members, without escapes for <, > and &.
func Encode(value any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// Text returns a value in the form of a secret: a string unchanged, anything else as JSON.
func Text(value any) ([]byte, error) {
	if text, ok := value.(string); ok {
		return []byte(text), nil
	}
	return Encode(value)
}
