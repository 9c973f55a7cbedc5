package review

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	apix "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

const (
	version = `"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1"`
	asks    = `"uid":"u1","desiredAPIVersion":"a/v2"`
	ann     = `{"apiVersion":"a/v1","kind":"K","metadata":{"name":"ann","namespace":"ns"},"spec":{"a":[1,2]}}`
	bob     = `{"kind":"K","apiVersion":"a/v2"}`
)

func next(r *Reader) (Object, error) {
	if err := r.More(); err != nil {
		return Object{}, err
	}
	return r.Object()
}

// readAll reads a review to its end, and returns its head and its objects, one a line.
func readAll(r *Reader) (string, error) {
	head, err := r.Head()
	if err != nil {
		return "", err
	}
	out := string(head.UID) + " " + head.Desired + "\n"
	for {
		object, err := next(r)
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return out, err
		}
		out += string(object.Raw) + "\n"
	}
}

func TestReader(t *testing.T) {
	head := `"u1" a/v2` + "\n"
	tests := []struct {
		reason, review, want, err string
	}{
		{"as the API server writes", `{` + version + `,"request":{` + asks + `,"objects":[` + ann + `,` + bob + `]},"response":null}`, head + ann + "\n" + bob + "\n", ""},
		{"members in any order", `{"request":{"objects":[` + ann + `, ` + bob + ` ],` + asks + `},` + version + `}`, head + ann + "\n" + bob + "\n", ""},
		{"no objects", `{` + version + `,"request":{` + asks + `,"objects":[]}}`, head, ""},
		{"objects that are null are none", `{` + version + `,"request":{` + asks + `,"objects":null}}`, head, ""},
		{"objects that are missing are none", `{` + version + `,"request":{` + asks + `}}`, head, ""},
		{"what is no object is read as it is", `{` + version + `,"request":{` + asks + `,"objects":[1,null,"x",[{}]]}}`, head + "1\nnull\n\"x\"\n[{}]\n", ""},
		{"members that nobody knows are read over", `{` + version + `,"x":[{}],"request":{"dryRun":{"a":[]},` + asks + `,"objects":[{}]},"y":{}}`, head + "{}\n", ""},
		{"escapes in names and values", `{"k\u0069nd":"Conversion\u0052eview","apiVersion":"apiextensions.k8s.io/v1","request":{` + asks + `,"objects":[{}]}}`, head + "{}\n", ""},
		{"an older version of reviews", `{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1beta1","request":{` + asks + `}}`, "", "conversionReviewVersions"},
		{"another kind", `{"kind":"AdmissionReview","apiVersion":"apiextensions.k8s.io/v1","request":{` + asks + `}}`, "", `the kind is "AdmissionReview"`},
		{"no version at all", `{"request":{` + asks + `,"objects":[{}]}}`, "", `the kind is ""`},
		{"no request", `{` + version + `}`, "", "request: is missing"},
		{"a request that is null", `{` + version + `,"request":null}`, "", "request: offset"},
		{"no uid", `{` + version + `,"request":{"desiredAPIVersion":"a/v2","objects":[{}]}}`, "", "request.uid: is missing"},
		{"an empty uid", `{` + version + `,"request":{"uid":"","desiredAPIVersion":"a/v2"}}`, "", "request.uid: is missing"},
		{"a uid that is a number", `{` + version + `,"request":{"uid":1}}`, "", "request.uid: is not a string"},
		{"a uid that is too long", `{` + version + `,"request":{"uid":"` + strings.Repeat("u", maxWord) + `"}}`, "", "longer than"},
		{"no desired version", `{` + version + `,"request":{"uid":"u"}}`, "", "request.desiredAPIVersion: is missing"},
		{"objects that are an object", `{` + version + `,"request":{` + asks + `,"objects":{}}}`, "", "request.objects: is not a list"},
		{"a uid that appears twice", `{` + version + `,"request":{"uid":"a",` + asks + `}}`, "", "request.uid: appears twice"},
		{"a uid that appears twice, also behind the objects", `{` + version + `,"request":{` + asks + `,"objects":[],"uid":"b"}}`, head, "request.uid: appears twice"},
		{"two lists", `{` + version + `,"request":{` + asks + `,"objects":[],"objects":[]}}`, head, "request.objects: appears twice"},
		{"two requests", `{` + version + `,"request":{` + asks + `,"objects":[]},"request":{}}`, head, "request: appears twice"},
		{"two kinds", `{` + version + `,"kind":"ConversionReview","request":{}}`, "", "kind: appears twice"},
		{"something behind", `{` + version + `,"request":{` + asks + `,"objects":[]}}x`, head, "the value is followed by other text"},
		{"an end in an object", `{` + version + `,"request":{` + asks + `,"objects":[{"a":`, head, "request.objects[0]: offset 131: the text ends too early"},
		{"an end in the head", `{` + version + `,"request":{`, "", "the text ends too early"},
		{"nothing", ``, "", "the text ends too early"},
		{"a list", `[]`, "", "expected {"},
		{"an object that is not UTF-8", `{` + version + `,"request":{` + asks + `,"objects":[{"a":"` + "\xff" + `"}]}}`, head, "not UTF-8"},
		{"four objects where three are allowed", `{` + version + `,"request":{` + asks + `,"objects":[1,2,3,4]}}`, head + "1\n2\n3\n", "too many objects"},
		{"deeper than allowed", `{` + version + `,"request":{` + asks + `,"objects":[` + strings.Repeat("[", 20) + `]}}`, head, "more than 10 levels deep"},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			limits := Limits{Depth: 10}
			if strings.Contains(test.err, "too many") {
				limits.Objects = 3
			}
			var r Reader
			r.Reset([]byte(test.review), nil, limits)
			got, err := readAll(&r)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
			if (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
				t.Errorf("error is %v, want %q", err, test.err)
			}
			r.Reset(nil, iotest.OneByteReader(strings.NewReader(test.review)), limits)
			if again, _ := readAll(&r); again != test.want {
				t.Errorf("byte by byte, it reads %s", again)
			}
		})
	}
}

func TestObject(t *testing.T) {
	var r Reader
	r.Reset([]byte(`{`+version+`,"request":{`+asks+`,"objects":[`+ann+`,{"kind":1,"kind" : "L","metadata":{"name":"\u0061"}},7,{"metadata":[]}]}}`), nil, Limits{})
	if _, err := r.Head(); err != nil {
		t.Fatal(err)
	}
	var got []string
	for object, err := next(&r); err == nil; object, err = next(&r) {
		namespace, name := object.Name()
		got = append(got, strings.Join([]string{string(object.APIVersion), string(object.Kind), namespace, name}, " "))
		if object.IsObject() != (object.Raw[0] == '{') {
			t.Error("an object is one if it looks like one")
		}
	}
	want := []string{`"a/v1" "K" ns ann`, ` "L"  a`, `   `, `   `}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestLargeReviewsTakeLittleMemory(t *testing.T) {
	var r Reader
	src := io.MultiReader(
		strings.NewReader(`{`+version+`,"request":{`+asks+`,"objects":[`+ann),
		strings.NewReader(strings.Repeat(`,`+ann, 50000)+`]}}`))
	r.Reset(nil, src, Limits{})
	if _, err := r.Head(); err != nil {
		t.Fatal(err)
	}
	read, err := 0, error(nil)
	for ; err == nil; read++ {
		_, err = next(&r)
	}
	if !errors.Is(err, io.EOF) || read != 50002 {
		t.Errorf("%d reads, then %v", read, err)
	}
	if cap(r.Buffer()) > 64<<10 {
		t.Errorf("the buffer grew to %d bytes", cap(r.Buffer()))
	}
}

// FuzzReader compares the reader with the types of the API server.
func FuzzReader(f *testing.F) {
	f.Add([]byte(`{` + version + `,"request":{` + asks + `,"objects":[` + ann + `,` + bob + `]}}`))
	f.Add([]byte(`{"request":{"objects":[` + ann + `],` + asks + `},` + version + `}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var r, again Reader
		r.Reset(bytes.Clone(data), nil, Limits{})
		again.Reset(nil, iotest.OneByteReader(bytes.NewReader(data)), Limits{})
		got, err := readAll(&r)
		if other, otherErr := readAll(&again); other != got || (err == nil) != (otherErr == nil) {
			t.Fatalf("at once %q (%v), byte by byte %q (%v)", got, err, other, otherErr)
		}
		if err != nil {
			return
		}
		var typed apix.ConversionReview
		if err := json.Unmarshal(data, &typed); err != nil || typed.Request == nil {
			t.Fatalf("accepted what is no review: %v", err)
		}
		var uid string
		if json.Unmarshal(r.fields.uid, &uid) != nil || uid != string(typed.Request.UID) {
			t.Errorf("uid is %s, want %q", r.fields.uid, typed.Request.UID)
		}
	})
}

// TestBegins checks that an object's beginning is recognized only if it is spelled as the API
// server writes it.
func TestBegins(t *testing.T) {
	for text, want := range map[string][2]string{
		`{"apiVersion":"a/v1","kind":"K","spec":{}}`:    {`"a/v1"`, `"K"`},
		`{"apiVersion":"a/v1","kind":"K"`:               {`"a/v1"`, `"K"`},
		`{"apiVersion":"","kind":""}`:                   {`""`, `""`},
		`{"apiVersion":"a/v1","kind":"K`:                {},
		`{"apiVersion":"a/v1","ki`:                      {},
		`{"apiVersion":"a/v1","king":"K"}`:              {},
		`{"apiVersion":"a/v1"}`:                         {},
		`{"apiVersion":"a/v1", "kind":"K"}`:             {},
		`{"apiVersion":"a/v1`:                           {},
		`{"apiVersion":1,"kind":"K"}`:                   {},
		`{"kind":"K","apiVersion":"a/v1"}`:              {},
		`{"metadata":{"name":"apiVersion"},"kind":"K"}`: {},
		`7`: {},
		``:  {},
	} {
		apiVersion, kind := Begins([]byte(text))
		if string(apiVersion) != want[0] || string(kind) != want[1] {
			t.Errorf("%s begins with %s and %s", text, apiVersion, kind)
		}
	}
}

// TestTakenObjectsCount checks that an object that the caller has read counts in errors and limits.
func TestTakenObjectsCount(t *testing.T) {
	for rest, want := range map[string]string{`tru`: "request.objects[2]: ", ann + `,` + ann: "more than 3"} {
		var r Reader
		r.Reset(nil, strings.NewReader(`{`+version+`,"request":{`+asks+`,"objects":[`+ann+`,`+bob+`,`+rest+`]}}`), Limits{Objects: 3})
		if _, err := r.Head(); err != nil {
			t.Fatal(err)
		}
		for _, object := range []string{ann, bob} {
			if err := r.More(); err != nil {
				t.Fatal(err)
			}
			if text := r.Ahead(len(object)); !strings.HasPrefix(string(text), object) {
				t.Fatalf("%s is ahead", text)
			}
			r.Take(len(object))
		}
		_, err := next(&r)
		if err == nil {
			_, err = next(&r)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error is %v, want %q", err, want)
		}
	}
}
