package webhook_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	apix "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratakube/strata/webhook"
)

func schemeOf(t testing.TB, add ...func(*k8sruntime.Scheme) error) *k8sruntime.Scheme {
	t.Helper()
	scheme := k8sruntime.NewScheme()
	for _, f := range add {
		if err := f(scheme); err != nil {
			t.Fatal(err)
		}
	}
	return scheme
}

func handlerOf(t testing.TB, options webhook.Options, add ...func(*k8sruntime.Scheme) error) *webhook.Handler {
	t.Helper()
	e, err := webhook.EngineOf(schemeOf(t, add...))
	if err != nil {
		t.Fatal(err)
	}
	return webhook.New(e, options)
}

// reviewOf returns a review as the API server writes it.
func reviewOf(desired string, objects ...string) string {
	return fmt.Sprintf(`{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{"uid":"705ab4f5","desiredAPIVersion":%q,"objects":[%s]},"response":null}`,
		desired, strings.Join(objects, ","))
}

func send(h http.Handler, body string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodPost, webhook.Path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	h.ServeHTTP(w, r)
	return w
}

// ask sends a review and requires an answer, of success or failure.
func ask(t testing.TB, h http.Handler, body string) *apix.ConversionResponse {
	t.Helper()
	w := send(h, body)
	if w.Code != http.StatusOK {
		t.Fatalf("status %d: %s", w.Code, w.Body)
	}
	return responseOf(t, w.Body.Bytes())
}

func responseOf(t testing.TB, body []byte) *apix.ConversionResponse {
	t.Helper()
	var answer apix.ConversionReview
	decoder := json.NewDecoder(bytes.NewReader(body))
	if err := decoder.Decode(&answer); err != nil || answer.Response == nil {
		t.Fatalf("the answer is no review: %v: %.1000s", err, body)
	}
	return answer.Response
}

func roomOf(version, name, spec string) string {
	return fmt.Sprintf(`{"apiVersion":"hotel.example.com/%s","kind":"Room","metadata":{"name":%q},"spec":%s}`, version, name, spec)
}

// holds checks that a success is what the API server requires.
func holds(body []byte, got *apix.ConversionResponse) error {
	var asked apix.ConversionReview
	if err := json.Unmarshal(body, &asked); err != nil {
		return fmt.Errorf("a success, for what is no review: %w", err)
	}
	if asked.Request.UID != got.UID || len(asked.Request.Objects) != len(got.ConvertedObjects) {
		return fmt.Errorf("uid %s, %d objects; asked by %s with %d", got.UID, len(got.ConvertedObjects), asked.Request.UID, len(asked.Request.Objects))
	}
	for i, object := range got.ConvertedObjects {
		var head struct {
			APIVersion, Kind string
			Metadata         any
		}
		if err := json.Unmarshal(object.Raw, &head); err != nil {
			return err
		}
		if bytes.Equal(object.Raw, asked.Request.Objects[i].Raw) {
			continue
		}
		if head.APIVersion != asked.Request.DesiredAPIVersion || head.Metadata == nil {
			return fmt.Errorf("object %d is %s", i, object.Raw)
		}
	}
	return nil
}

var roomKind = schema.GroupKind{Group: "hotel.example.com", Kind: "Room"}
