package conformance

import (
	"bytes"
	"encoding/json"
)

// encoder is json.Marshal without HTML escapes, which would change free JSON.
type encoder struct {
	buffer *bytes.Buffer
	json   *json.Encoder
}

func newEncoder() encoder {
	e := encoder{buffer: new(bytes.Buffer)}
	e.json = json.NewEncoder(e.buffer)
	e.json.SetEscapeHTML(false)
	return e
}

// encode returns JSON that is valid until the next call.
func (e encoder) encode(value any) ([]byte, error) {
	e.buffer.Reset()
	if err := e.json.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(e.buffer.Bytes(), []byte("\n")), nil
}
