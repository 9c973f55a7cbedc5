package pages

import (
	"context"
	"errors"
	"slices"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// expired returns the error of an API server that has removed the state of a list. Next is the
// token with which the list goes on.
func expired(next string) error {
	err := apierrors.NewResourceExpired("gone")
	err.ErrStatus.Continue = next
	return err
}

// TestEach has lists whose state an API server removes. A list goes on where it was, and never asks
// for one page again and again.
func TestEach(t *testing.T) {
	failed := errors.New("failed")
	for name, test := range map[string]struct {
		// answers of the API server by the token of a request: the token of the next page, or an error
		answers map[string]any
		visited []string
		fails   bool
	}{
		"one page":                {map[string]any{"": ""}, []string{""}, false},
		"several pages":           {map[string]any{"": "b", "b": "c", "c": ""}, []string{"", "b", "c"}, false},
		"expired":                 {map[string]any{"": "b", "b": expired("b2"), "b2": "c", "c": ""}, []string{"", "b2", "c"}, false},
		"expired twice":           {map[string]any{"": "b", "b": expired("b2"), "b2": expired("b3"), "b3": ""}, []string{"", "b3"}, false},
		"expired again the same":  {map[string]any{"": "b", "b": expired("b")}, []string{""}, true},
		"expired without a token": {map[string]any{"": "b", "b": expired("")}, []string{""}, true},
		"failed":                  {map[string]any{"": "b", "b": failed}, []string{""}, true},
	} {
		t.Run(name, func(t *testing.T) {
			var visited []string
			requests := 0
			err := Each(t.Context(), metav1.ListOptions{Limit: 7}, func(_ context.Context, o metav1.ListOptions) (*metav1.PartialObjectMetadataList, error) {
				if requests++; requests > 10 || o.Limit != 7 {
					t.Fatalf("request %d has the limit %d", requests, o.Limit)
				}
				switch answer := test.answers[o.Continue].(type) {
				case error:
					return nil, answer
				case string:
					return &metav1.PartialObjectMetadataList{ListMeta: metav1.ListMeta{Continue: answer}}, nil
				}
				t.Fatalf("a request for the page %q", o.Continue)
				return nil, nil
			}, func(_ *metav1.PartialObjectMetadataList, o metav1.ListOptions) error {
				visited = append(visited, o.Continue)
				return nil
			})
			if !slices.Equal(visited, test.visited) || (err != nil) != test.fails {
				t.Errorf("it visited %q, want %q; error %v", visited, test.visited, err)
			}
		})
	}
	if err := Each(t.Context(), metav1.ListOptions{}, func(context.Context, metav1.ListOptions) (*metav1.PartialObjectMetadataList, error) {
		return &metav1.PartialObjectMetadataList{}, nil
	}, func(*metav1.PartialObjectMetadataList, metav1.ListOptions) error { return failed }); !errors.Is(err, failed) {
		t.Errorf("the error of a visit: %v", err)
	}
}
