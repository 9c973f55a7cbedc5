package review

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apix "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

func answer(t *testing.T, data []byte) *apix.ConversionReview {
	t.Helper()
	var review apix.ConversionReview
	if err := json.Unmarshal(data, &review); err != nil {
		t.Fatalf("%s: %v", data, err)
	}
	return &review
}

func TestAnswerOfSuccess(t *testing.T) {
	var out bytes.Buffer
	var w Writer
	w.Reset(nil, &out)
	w.Begin([]byte(`"u\"1"`))
	for _, object := range []string{`{"a":1}`, `{"b":2}`} {
		if err := w.Add(append(w.Next(), object...)); err != nil {
			t.Fatal(err)
		}
	}
	_ = append(w.Next(), "forgotten"...)
	w.Succeed()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	got := answer(t, out.Bytes())
	if got.Kind != Kind || got.APIVersion != APIVersion || got.Response.UID != `u"1` || got.Response.Result.Status != "Success" {
		t.Errorf("the answer is %s", out.Bytes())
	}
	var objects []string
	for _, o := range got.Response.ConvertedObjects {
		objects = append(objects, string(o.Raw))
	}
	if diff := cmp.Diff([]string{`{"a":1}`, `{"b":2}`}, objects); diff != "" {
		t.Error(diff)
	}
}

func TestAnswerOfFailure(t *testing.T) {
	for _, test := range []struct {
		reason string
		sent   int
		text   string
		want   string
	}{
		{"what was not sent is taken back", 1, `no "way"`, `no "way"`},
		{"what is on its way stays", flushAt, "no", "no"},
		{"a message in no encoding is still one", 0, "a\xffb", "a\uFFFDb"},
		{"a message as long as it may be", 0, strings.Repeat("x", maxMessage), strings.Repeat("x", maxMessage)},
		{"a long message is not cut within a character", 0, "x" + strings.Repeat("é", maxMessage), "x" + strings.Repeat("é", maxMessage/2-1) + " ..."},
		{"a long message is cut between characters", 0, strings.Repeat("é", maxMessage), strings.Repeat("é", maxMessage/2) + " ..."},
	} {
		t.Run(test.reason, func(t *testing.T) {
			var out bytes.Buffer
			var w Writer
			w.Reset(nil, &out)
			w.Begin([]byte(`"u"`))
			if test.sent > 0 {
				if err := w.Add(append(w.Next(), `"`+strings.Repeat("x", test.sent)+`"`...)); err != nil {
					t.Fatal(err)
				}
			}
			sent := w.HasSent()
			w.Fail(test.text)
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			got := answer(t, out.Bytes()).Response
			if got.UID != "u" || got.Result.Status != "Failure" || got.Result.Message != test.want {
				t.Errorf("the result is %+v", got.Result)
			}
			if (len(got.ConvertedObjects) > 0) != sent {
				t.Errorf("%d objects are in the answer", len(got.ConvertedObjects))
			}
			if w.Size() != int64(out.Len()) {
				t.Errorf("size is %d, of %d bytes", w.Size(), out.Len())
			}
		})
	}
}

// TestAnswersGoOutWhenMuchHasGathered checks that shorter answers are not sent early, so that they
// can still become failures.
func TestAnswersGoOutWhenMuchHasGathered(t *testing.T) {
	for size, want := range map[int]bool{256<<10 - 1: false, 256 << 10: true} {
		var out bytes.Buffer
		var w Writer
		w.Reset(nil, &out)
		w.Begin([]byte(`"u"`))
		if err := w.Add(append(w.Next(), make([]byte, size-w.Gathered())...)); err != nil {
			t.Fatal(err)
		}
		if w.HasSent() != want || (out.Len() == size) != want {
			t.Errorf("of %d bytes, %d have gone out", size, out.Len())
		}
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("gone") }

func TestWriterStopsWithItsReader(t *testing.T) {
	var w Writer
	w.Reset(nil, broken{})
	w.Begin([]byte(`"u"`))
	if err := w.Add(append(w.Next(), strings.Repeat("x", flushAt)...)); err == nil {
		t.Error("no error")
	}
	if err := w.Close(); err == nil {
		t.Error("no error at the end")
	}
}
