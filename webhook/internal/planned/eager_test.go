package planned_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stratakube/strata/webhook"
	"github.com/stratakube/strata/webhook/engine"
)

// checked is an engine whose converters require objects that were read and checked before.
type checked struct{ engine.Engine }

func (c checked) Converter(pair engine.Pair) engine.Converter {
	converter := c.Engine.Converter(pair)
	if converter == nil {
		return nil
	}
	return struct{ engine.Converter }{converter}
}

// TestEagerReviews checks that answers are the same, byte by byte, whether objects are converted
// while they are read or after, and however they arrive.
func TestEagerReviews(t *testing.T) {
	_, plans, _ := engines(t)
	one := partyOf
	plain := one("v20150505", `,"spec":{"properties":{"displayName":"t","members":[{"personName":"a","role":"Owner"}]}}`)
	large := one("v20150505", `,"spec":{"properties":{"displayName":"`+strings.Repeat("t", 100<<10)+`"}}`)
	for _, test := range []struct {
		reason  string
		objects []string
	}{
		{"objects that are converted", []string{plain, one("v20190909", ""), large, plain}},
		{"white space around and within", []string{" " + plain, "\n" + strings.ReplaceAll(plain, ":", " : ") + "\t", plain}},
		{"one that is handed on among others", []string{plain, one("v20150505", `,"spec":{"properties":{"displayName":7}}`), plain}},
		{"one of the desired version", []string{plain, one(hub, ""), plain}},
		{"names in another order", []string{plain, `{"kind":"Party","metadata":{"name":"p"},"apiVersion":"crm.example.com/v20150505"}`, plain}},
		{"names that stand twice", []string{plain, one("v20150505", `,"apiVersion":"crm.example.com/v20190909"`), plain}},
		{"another kind", []string{plain, strings.Replace(plain, "Party", "Nothing", 1), plain}},
		{"what is no object", []string{plain, "7", plain}},
		{"what is no JSON", []string{plain, one("v20150505", `,"spec":{"properties":{"displayName":tru}}`)}},
		{"what is not UTF-8", []string{plain, one("v20150505", `,"spec":{"properties":{"displayName":"`+"\xff"+`"}}`)}},
		{"too deep", []string{plain, one("v20150505", `,"spec":`+strings.Repeat(`{"a":`, 10001)+"1"+strings.Repeat("}", 10001))}},
		{"an end too early", []string{plain, plain[:len(plain)-20]}},
	} {
		review := `{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{"uid":"u","desiredAPIVersion":"crm.example.com/` + hub +
			`","objects":[` + strings.Join(test.objects, ",") + `]}}`
		want := answer(t, checked{plans}, strings.NewReader(review))
		if !bytes.Contains(want, []byte(`"status":"`)) {
			t.Fatalf("%s: the answer is %s", test.reason, want)
		}
		for name, arriving := range map[string]func(io.Reader) io.Reader{
			"at once": func(r io.Reader) io.Reader { return r }, "in halves": iotest.HalfReader, "byte by byte": iotest.OneByteReader,
		} {
			if got := answer(t, plans, arriving(strings.NewReader(review))); !bytes.Equal(got, want) {
				t.Errorf("%s, %s: eagerly\n%.2000s\nelse\n%.2000s", test.reason, name, got, want)
			}
		}
	}
}

func answer(t *testing.T, e engine.Engine, body io.Reader) []byte {
	t.Helper()
	h := webhook.New(e, webhook.Options{})
	// The handler converts objects while it reads them only if it knows their route.
	for _, version := range []string{"v20150505", "v20190909"} {
		first := `{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{"uid":"u","desiredAPIVersion":"crm.example.com/` + hub +
			`","objects":[` + partyOf(version, "") + `]}}`
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, webhook.Path, strings.NewReader(first)))
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, webhook.Path, body))
	return w.Body.Bytes()
}

// watched counts the objects that its converters receive after they were read.
type watched struct {
	engine.Engine
	count *int
}

func (w watched) Converter(pair engine.Pair) engine.Converter {
	return watchedConverter{w.Engine.Converter(pair).(engine.Eager), w.count}
}

type watchedConverter struct {
	engine.Eager
	count *int
}

func (w watchedConverter) Try(ctx context.Context, dst, object []byte) ([]byte, *engine.Refusal) {
	*w.count++
	return w.Eager.Try(ctx, dst, object)
}

func TestObjectsAreConvertedWhileTheyAreRead(t *testing.T) {
	_, plans, _ := engines(t)
	count := new(int)
	h := webhook.New(watched{plans, count}, webhook.Options{})
	review := `{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{"uid":"u","desiredAPIVersion":"crm.example.com/` + hub +
		`","objects":[` + strings.TrimSuffix(strings.Repeat(partyOf("v20150505", "")+",", 1000), ",") + `]}}`
	for _, want := range []int{1, 1} { // the first object of a kind finds the route
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, webhook.Path, strings.NewReader(review)))
		if *count != want {
			t.Errorf("%d of 1,000 objects were read before", *count)
		}
	}
}
