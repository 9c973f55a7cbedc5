package codec

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strconv"
	"unsafe"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/shape"
	"github.com/stratakube/strata/runtime/internal/watch"
)

// Writer writes Go values as JSON by their shapes, in one pass, like encoding/json. But free JSON
// keeps its spelling. Writer restores the misfits of a version that are in the property bags of
// the values, and those in nodes.
type Writer struct {
	Out []byte
	// Version is the label of the version whose misfits are restored; empty for none.
	Version string
	Watch   *watch.Watch
	// Sorted means that the members of objects are sorted by name, as API servers sort them. Then the
	// writer restores no misfits.
	Sorted bool
	// Limit is the length of the JSON beyond which the writer begins no further object; 0 for no
	// limit.
	Limit int
}

func (w *Writer) text(text string) {
	w.Out = jsontext.AppendText(jsontext.RoomFor(w.Out, len(text)), text)
}

var errNumber = errors.New("a number that JSON does not have")

// number writes a number like encoding/json, which uses an exponent only for very large and very
// small numbers.
func (w *Writer) number(f float64) error {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return errNumber
	}
	format := byte('f')
	if abs := math.Abs(f); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		format = 'e'
	}
	w.Out = strconv.AppendFloat(w.Out, f, format, -1, 64)
	if n := len(w.Out); format == 'e' && n >= 4 && string(w.Out[n-4:n-1]) == "e-0" {
		w.Out[n-2] = w.Out[n-1]
		w.Out = w.Out[:n-1]
	}
	return nil
}

// free writes free JSON without white space.
func (w *Writer) free(value runtime.JSON) error {
	if len(value) == 0 {
		w.Out = append(w.Out, jsontext.Null...)
		return nil
	}
	c := jsontext.Cursor{Data: value, Watch: w.Watch}
	if !c.Skip(jsontext.MaxDepth) || c.Peek() != 0 || c.At != len(value) {
		if w.Watch.Failed() {
			return w.Watch.Err
		}
		_, err := jsontext.Marshal(json.RawMessage(value)) // Marshal returns a precise error
		return err
	}
	w.Out = jsontext.RoomFor(w.Out, len(value))
	if !c.Spaced {
		w.Out = append(w.Out, value...)
		return nil
	}
	compact := bytes.NewBuffer(w.Out)
	err := json.Compact(compact, value)
	w.Out = compact.Bytes()
	return err
}

func (w *Writer) opaque(s *shape.Shape, p unsafe.Pointer) error {
	if s.Whole {
		w.Out = s.AppendWhole(w.Out, p)
		return nil
	}
	out, err := jsontext.Append(w.Out, reflect.NewAt(s.Type, p).Interface())
	if err == nil {
		w.Out = out
	}
	return err
}

// begin writes a comma unless the member or element is the first.
func (w *Writer) begin() {
	if last := w.Out[len(w.Out)-1]; last != '{' && last != '[' {
		w.Out = append(w.Out, ',')
	}
}

func (w *Writer) name(name string) {
	w.begin()
	w.text(name)
	w.Out = append(w.Out, ':')
}
