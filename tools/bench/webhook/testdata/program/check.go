package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"

	"bytes"

	apix "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// check demands that all handlers but the echo give the same values, that plans refuse nothing, and that what is built
// is of the size that is said.
func (c *contest) check(cases []Case) error {
	for _, one := range cases {
		if one.Objects > 100 || one.Transport != inProcess && one.Size == small {
			continue
		}
		if err := c.checkCase(one); err != nil {
			return fmt.Errorf("%s: %w", one, err)
		}
	}
	return nil
}

func (c *contest) checkCase(one Case) error {
	if size := len(one.review) / one.Objects; size < one.Size*9/10 || size > one.Size*5/4 {
		return fmt.Errorf("an object has %d bytes", size)
	}
	plans, refused := c.counted()
	want, err := answerOf(plans, one.review)
	if err != nil {
		return fmt.Errorf("planned: %w", err)
	}
	if *refused > 0 {
		return fmt.Errorf("plans refused %d objects", *refused)
	}
	for _, h := range c.handlers {
		if h.name == "echo" {
			continue
		}
		got, err := answerOf(h, one.review)
		if err != nil {
			return fmt.Errorf("%s: %w", h.name, err)
		}
		if !reflect.DeepEqual(got, want) {
			return fmt.Errorf("%s gives\n%s\nand plans give\n%s", h.name, text(got), text(want))
		}
	}
	return nil
}

func text(v any) []byte {
	data, _ := json.Marshal(v)
	return data[:min(len(data), 20_000)]
}

// answerOf returns the values of the objects that a handler gives.
func answerOf(h http.Handler, review []byte) ([]any, error) {
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodPost, "/convert", bytes.NewReader(review))
	h.ServeHTTP(w, r)
	var answer apix.ConversionReview
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
		return nil, err
	}
	if answer.Response == nil || answer.Response.Result.Status != "Success" {
		return nil, fmt.Errorf("the answer is %.1000s", w.Body)
	}
	var objects []any
	for _, raw := range answer.Response.ConvertedObjects {
		var o any
		if err := json.Unmarshal(raw.Raw, &o); err != nil {
			return nil, err
		}
		objects = append(objects, o)
	}
	return objects, nil
}
