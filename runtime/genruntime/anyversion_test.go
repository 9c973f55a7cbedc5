package genruntime_test

import (
	"errors"
	"testing"

	"github.com/stratakube/strata/runtime/genruntime"
)

type release string

func TestParseVersion(t *testing.T) {
	if v, err := genruntime.ParseVersion("v1", release("v1beta1"), "v1"); err != nil || v != "v1" {
		t.Errorf("v1 is %q, %v", v, err)
	}
	_, err := genruntime.ParseVersion("v2", release("v1beta1"), "v1")
	if want := `"v2" is not a version: there are v1beta1, v1`; err == nil || err.Error() != want {
		t.Errorf("v2 gives %v, want %s", err, want)
	}
}

type speech struct{ text string }

func (s *speech) ConvertTo(hub *string) error { *hub = s.text; return nil }

func (s *speech) ConvertFrom(hub *string) error {
	if *hub == "" {
		return errors.New("nothing was said")
	}
	s.text = *hub
	return nil
}

func TestThroughHub(t *testing.T) {
	var to speech
	if err := genruntime.ThroughHub(new(string), &speech{"hello"}, &to); err != nil || to.text != "hello" {
		t.Errorf("hello became %q, %v", to.text, err)
	}
	if err := genruntime.ThroughHub(new(string), nil, &to); err == nil {
		t.Error("nothing was converted")
	}
	if err := genruntime.ThroughHub(new(string), &speech{}, &to); err == nil {
		t.Error("a conversion that fails is no error")
	}
}

type spoken struct{ v1, v2 *text12 }

type text12 struct {
	Kind string `json:"kind"`
	Size int64  `json:"size"`
}

func (s spoken) object() *text12 {
	if s.v1 != nil {
		return s.v1
	}
	return s.v2
}

func TestUnmarshalVersioned(t *testing.T) {
	blank := func(v release) (spoken, error) {
		switch v {
		case "v1":
			return spoken{v1: new(text12)}, nil
		case "v2":
			return spoken{v2: new(text12)}, nil
		}
		return spoken{}, errors.New("no such version")
	}
	read := func(body string) (spoken, error) {
		return genruntime.UnmarshalVersioned([]byte(body), blank, spoken.object)
	}
	if got, err := read(`{"apiVersion": "g.example.com/v2", "kind": "Text", "size": 9007199254740993}`); err != nil || got.v2 == nil || got.v2.Size != 9007199254740993 {
		t.Errorf("read %+v, %v", got, err)
	}
	for _, body := range []string{`{"apiVersion": "g.example.com/v3"}`, `{"apiVersion": "a/b/c"}`, `[`, `{"apiVersion": "v1", "size": "x"}`} {
		if _, err := read(body); err == nil {
			t.Errorf("%s is read", body)
		}
	}
}
