package typed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	kjson "sigs.k8s.io/json"
)

// strictCodec reads and writes types that Strata did not generate. A value of the wrong type is an
// error.
type strictCodec struct{}

func (strictCodec) decode(_ context.Context, object []byte, into k8sruntime.Object) ([]byte, error) {
	return nil, explain(into, kjson.UnmarshalCaseSensitivePreserveInts(object, into))
}

// explain adds the path and the expected type to an error of decoding.
func explain(into k8sruntime.Object, err error) error {
	var wrong *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &wrong) && wrong.Field != "":
		return fmt.Errorf("%s: got %s, want %s", pathOf(wrong.Field), kindOf(wrong.Value), wrong.Type)
	case errors.As(err, &wrong):
		return fmt.Errorf("got %s, want %s", kindOf(wrong.Value), wrong.Type)
	default:
		// Errors of custom UnmarshalJSON methods may contain values, which must not be shown.
		return fmt.Errorf("decode: a %T in %T", err, into)
	}
}

// kindOf returns the type of JSON value in an error. For numbers the text also has the value.
func kindOf(value string) string {
	sort, _, _ := strings.Cut(value, " ")
	return sort
}

// pathOf removes the prefix that the decoder adds to a path.
func pathOf(field string) string { return strings.TrimPrefix(field, ".") }

func (strictCodec) encode(_ context.Context, out, _ []byte, src, dst k8sruntime.Object) ([]byte, error) {
	if err := isSame(src, dst); err != nil {
		return out, err
	}
	data := appender{out}
	encoder := json.NewEncoder(&data)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(dst); err != nil {
		return out, fmt.Errorf("encode: %w", err)
	}
	return withMetadata(data.buf[:len(data.buf)-1], len(out)), nil
}

// appender is a writer that appends to a slice.
type appender struct{ buf []byte }

func (a *appender) Write(data []byte) (int, error) {
	a.buf = append(a.buf, data...)
	return len(data), nil
}

// isSame checks that a conversion has not changed the fields that the API server compares.
func isSame(src, dst k8sruntime.Object) error {
	before, ok := src.(metav1.Object)
	after, alsoOK := dst.(metav1.Object)
	if !ok || !alsoOK {
		return nil
	}
	for _, one := range []struct{ path, before, after string }{
		{"metadata.name", before.GetName(), after.GetName()},
		{"metadata.namespace", before.GetNamespace(), after.GetNamespace()},
		{"metadata.uid", string(before.GetUID()), string(after.GetUID())},
	} {
		if one.before != one.after {
			return fmt.Errorf("%s: the conversion of %T to %T must not change it", one.path, src, dst)
		}
	}
	return nil
}
