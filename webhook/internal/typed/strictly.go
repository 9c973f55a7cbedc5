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

// strictly reads and writes types of anybody. What does not fit is an error.
type strictly struct{}

func (strictly) decode(_ context.Context, object []byte, into k8sruntime.Object) ([]byte, error) {
	return nil, explain(into, kjson.UnmarshalCaseSensitivePreserveInts(object, into))
}

// explain says what is wrong, and where.
func explain(into k8sruntime.Object, err error) error {
	var wrong *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &wrong) && wrong.Field != "":
		return fmt.Errorf("%s: a %s where a %s is wanted", pathOf(wrong.Field), kindOf(wrong.Value), wrong.Type)
	case errors.As(err, &wrong):
		return fmt.Errorf("a %s where a %s is wanted", kindOf(wrong.Value), wrong.Type)
	default:
		// Errors of types that read their own JSON may hold values, which are not ours to show.
		return fmt.Errorf("decode: a %T in %T", err, into)
	}
}

// kindOf is the sort of JSON value that an error speaks of. For numbers it also holds the value.
func kindOf(value string) string {
	sort, _, _ := strings.Cut(value, " ")
	return sort
}

// pathOf leaves out what the decoder puts before a path.
func pathOf(field string) string { return strings.TrimPrefix(field, ".") }

func (strictly) encode(_ context.Context, out, _ []byte, src, dst k8sruntime.Object) ([]byte, error) {
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

// appender is a writer at the end of a slice.
type appender struct{ buf []byte }

func (a *appender) Write(data []byte) (int, error) {
	a.buf = append(a.buf, data...)
	return len(data), nil
}

// isSame demands that a conversion has left alone what the API server compares.
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
			return fmt.Errorf("%s: the conversion of %T to %T has changed it", one.path, src, dst)
		}
	}
	return nil
}
