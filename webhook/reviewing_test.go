package webhook_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	apix "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/stratakube/strata/webhook"
	"github.com/stratakube/strata/webhook/internal/example"
)

// TestReviewInOneCall checks that one call answers as a server does.
func TestReviewInOneCall(t *testing.T) {
	h := handlerOf(t, webhook.Options{Limits: webhook.Limits{BodyBytes: 4000}}, example.AddToScheme)
	for _, test := range []struct{ reason, review, result string }{
		{"objects convert in their order", reviewOf("crm.example.com/v20190909storage", personOf("v20110101", `,"spec":{"location":"north"}`), personOf("v20150505", `,"spec":{"location":"south"}`)), "Success"},
		{"a review may have no objects", reviewOf("crm.example.com/v20190909storage"), "Success"},
		{"a review may be as long as the limit", fmt.Sprintf("%-4000s", reviewOf("crm.example.com/v20190909storage", personOf("v20110101", `,"spec":{}`))), "Success"},
		{"what does not convert is said in the answer", reviewOf("crm.example.com/v1", personOf("v20110101", `,"spec":{}`)), "Failure"},
	} {
		t.Run(test.reason, func(t *testing.T) {
			got, err := h.Review(t.Context(), []byte(test.review))
			if err != nil {
				t.Fatal(err)
			}
			if want := send(h, test.review).Body.String(); string(got) != want {
				t.Errorf("answered\n%s\nwant\n%s", got, want)
			}
			var review apix.ConversionReview
			if err := json.Unmarshal(got, &review); err != nil || review.Response == nil || review.Response.Result.Status != test.result {
				t.Errorf("the answer is no %s: %v, %s", test.result, err, got)
			}
		})
	}
}

func TestReviewsWithoutAnswer(t *testing.T) {
	h := handlerOf(t, webhook.Options{Limits: webhook.Limits{BodyBytes: 4000}}, example.AddToScheme)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	person := personOf("v20110101", `,"spec":{"location":"north"}`)
	for _, test := range []struct {
		reason, review, want string
		ctx                  context.Context
	}{
		{"what is no review has none", `{"kind":"Person"}`, "ConversionReview", t.Context()},
		{"nor has one that is too long", reviewOf("crm.example.com/v20190909storage", strings.Repeat(person+",", 100)+person), "longer than 4000 bytes", t.Context()},
		{"nor one that nobody waits for", reviewOf("crm.example.com/v20190909storage", person), "canceled", ended},
	} {
		t.Run(test.reason, func(t *testing.T) {
			got, err := h.Review(test.ctx, []byte(test.review))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("answered %q, error %v, want one with %q", got, err, test.want)
			}
		})
	}
}
