package webhook_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	apix "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	ctrlconversion "sigs.k8s.io/controller-runtime/pkg/webhook/conversion"

	"github.com/stratakube/strata/webhook"
	"github.com/stratakube/strata/webhook/internal/example"
	"github.com/stratakube/strata/webhook/internal/hotel"
	"github.com/stratakube/strata/webhook/telemetry"
)

const metadata = `"metadata":{"name":"ann","namespace":"crm","uid":"6a1","resourceVersion":"7","generation":2,` +
	`"creationTimestamp":"2026-01-02T03:04:05Z","labels":{"a":"b"},"annotations":{"c":"d"},"finalizers":["x/y"],` +
	`"ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"p","uid":"1"}],"managedFields":[{"manager":"m","operation":"Apply","apiVersion":"crm.example.com/v20110101","time":"2026-01-02T03:04:05Z","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{}}}]}`

func personOf(version, rest string) string {
	return `{"apiVersion":"crm.example.com/` + version + `","kind":"Person"` + rest + `}`
}

// TestContract checks, item by item, what the API server requires of an answer.
func TestContract(t *testing.T) {
	h := handlerOf(t, webhook.Options{}, example.AddToScheme)
	objects := []string{
		personOf("v20110101", `,`+metadata+`,"spec":{"location":"north"}`),
		personOf("v20190909", `,"metadata":{"name":"same"},"spec":{"unknown": [1.0]}`),
		personOf("v20150505", `,"metadata":{"name":"bare"}`),
		personOf("v20190909storage", ``),
		personOf("v20110101", `,"metadata":{"name":"wrong"},"spec":7`),
	}
	w := send(h, reviewOf("crm.example.com/v20190909", objects...))
	var review struct {
		Kind, APIVersion string
		Request          json.RawMessage
		Response         struct {
			UID              string
			ConvertedObjects []json.RawMessage
			Result           struct{ Status string }
		}
	}
	if err := json.Unmarshal(w.Body.Bytes(), &review); err != nil {
		t.Fatal(err)
	}
	converted := make([]map[string]any, len(review.Response.ConvertedObjects))
	for i, raw := range review.Response.ConvertedObjects {
		if err := json.Unmarshal(raw, &converted[i]); err != nil {
			t.Fatal(err)
		}
	}
	all := func(holds func(o map[string]any) bool) bool {
		for _, o := range converted {
			if !holds(o) {
				return false
			}
		}
		return true
	}
	var names []any
	for _, o := range converted {
		names = append(names, o["metadata"].(map[string]any)["name"])
	}
	var before struct{ Metadata map[string]any }
	if err := json.Unmarshal([]byte(objects[0]), &before); err != nil {
		t.Fatal(err)
	}
	for _, item := range []struct {
		reason string
		holds  bool
	}{
		{"the status is 200", w.Code == http.StatusOK},
		{"the answer says that it is JSON, and how long it is", w.Header().Get("Content-Type") == "application/json" && w.Header().Get("Content-Length") == fmt.Sprint(w.Body.Len())},
		{"the answer is a review of v1", review.Kind == "ConversionReview" && review.APIVersion == "apiextensions.k8s.io/v1"},
		{"the uid is the request's", review.Response.UID == "705ab4f5"},
		{"the result is a success, also where an object is damaged", review.Response.Result.Status == "Success"},
		{"the request is not sent back", review.Request == nil},
		{"there are as many objects", len(converted) == len(objects)},
		{"in the same order", cmp.Equal(names, []any{"ann", "same", "bare", nil, "wrong"})},
		{"each in the desired version", all(func(o map[string]any) bool { return o["apiVersion"] == "crm.example.com/v20190909" })},
		{"each of its own kind", all(func(o map[string]any) bool { return o["kind"] == "Person" })},
		{"each with metadata", all(func(o map[string]any) bool { return o["metadata"] != nil })},
		{"metadata is what it was", cmp.Equal(before.Metadata, converted[0]["metadata"])},
		{"an object that has the version is what it was, byte by byte", string(review.Response.ConvertedObjects[1]) == objects[1]},
	} {
		if !item.holds {
			t.Errorf("%s: not so: %s", item.reason, w.Body)
		}
	}
}

func TestReviewsThatAreNone(t *testing.T) {
	h := handlerOf(t, webhook.Options{}, hotel.AddToScheme)
	good := reviewOf("hotel.example.com/v2")
	for _, test := range []struct {
		reason  string
		change  func(r *http.Request)
		body    string
		status  int
		message string
	}{
		{"another method", func(r *http.Request) { r.Method = http.MethodGet }, good, 405, "POST"},
		{"another media type", func(r *http.Request) { r.Header.Set("Content-Type", "text/yaml") }, good, 415, "application/json"},
		{"an encoded body", func(r *http.Request) { r.Header.Set("Content-Encoding", "gzip") }, good, 415, "not encoded"},
		{"a length beyond bounds", func(r *http.Request) { r.ContentLength = 64<<20 + 1 }, good, 413, "longer than 67108864 bytes"},
		{"an older review", nil, strings.Replace(good, "k8s.io/v1", "k8s.io/v1beta1", 1), 400, "conversionReviewVersions"},
		{"another kind of review", nil, strings.Replace(good, "Conversion", "Admission", 1), 400, "AdmissionReview"},
		{"no JSON", nil, "hello", 400, "offset 0"},
		{"nothing", nil, "", 400, "too early"},
		{"no UTF-8", nil, "{\"\xff\":1}", 400, "UTF-8"},
		{"an end before the objects", nil, good[:60], 400, "too early"},
		{"members that stand twice", nil, strings.Replace(good, `"uid"`, `"uid":"x","uid"`, 1), 400, "request.uid: appears twice"},
	} {
		t.Run(test.reason, func(t *testing.T) {
			w := httptest.NewRecorder()
			r := httptest.NewRequest(http.MethodPost, webhook.Path, strings.NewReader(test.body))
			if test.change != nil {
				test.change(r)
			}
			h.ServeHTTP(w, r)
			if w.Code != test.status || !strings.Contains(w.Body.String(), test.message) {
				t.Errorf("status %d: %s", w.Code, w.Body)
			}
			if allow := w.Header().Get("Allow"); (allow == http.MethodPost) != (test.status == http.StatusMethodNotAllowed) {
				t.Errorf("status %d allows %q", w.Code, allow)
			}
		})
	}
}

// TestFailuresAreNamed checks that an error behind the head of a review is in the message of the
// result, which users see.
func TestFailuresAreNamed(t *testing.T) {
	h := handlerOf(t, webhook.Options{Limits: webhook.Limits{Objects: 3, Depth: 100}}, hotel.AddToScheme)
	fine := roomOf("v1", "fine", `{"guest":"Ann Lee"}`)
	for _, test := range []struct {
		reason, body, message string
	}{
		{"a value of the wrong type", reviewOf("hotel.example.com/v2", fine, roomOf("v1", "bad", `{"rates":[1,"two"]}`)),
			`convert Room bad of hotel.example.com/v1 to hotel.example.com/v2 (request.objects[1]): spec.rates: got string, want int64`},
		{"a conversion that fails", reviewOf("hotel.example.com/v1", fine, fine, roomOf("v1beta1", "bad", `{"beds":"many"}`)),
			`convert Room bad of hotel.example.com/v1beta1 to hotel.example.com/v1 (request.objects[2]): to the hub v2: spec.beds: invalid syntax`},
		{"a conversion that panics, without what it says", reviewOf("hotel.example.com/v2", roomOf("v1beta1", "bad", `{"beds":"haunted"}`)),
			`convert Room bad of hotel.example.com/v1beta1 to hotel.example.com/v2 (request.objects[0]): the conversion panicked: string`},
		{"an unknown version", reviewOf("hotel.example.com/v3", fine), "this webhook converts only the versions v1, v1beta1, v2"},
		{"an unknown version of an object", reviewOf("hotel.example.com/v2", roomOf("v9", "fine", `{"guest":"Ann Lee"}`)), "convert Room fine of hotel.example.com/v9 to hotel.example.com/v2 (request.objects[0]): this webhook converts only the versions v1, v1beta1, v2"},
		{"an unknown kind", reviewOf("hotel.example.com/v2", strings.Replace(fine, "Room", "Suite", 1)), "convert Suite fine of hotel.example.com/v1 to hotel.example.com/v2 (request.objects[0]): this webhook does not convert this kind"},
		{"another group", reviewOf("inn.example.com/v2", fine), `the group is "hotel.example.com", and the desired one "inn.example.com"`},
		{"a version with too many slashes", reviewOf("a/b/c", fine), "the desired version: unexpected GroupVersion string"},
		{"no apiVersion", reviewOf("hotel.example.com/v2", `{"kind":"Room"}`), "apiVersion or kind is missing"},
		{"names as long as they may be", reviewOf("hotel.example.com/v2", namesOf(1024)), "this webhook does not convert this kind"},
		{"names that are longer", reviewOf("hotel.example.com/v2", namesOf(1025)), "apiVersion and kind are longer than 1024 bytes"},
		{"a kind that is a number", reviewOf("hotel.example.com/v2", `{"apiVersion":"hotel.example.com/v1","kind":1}`), "apiVersion or kind is missing"},
		{"no object", reviewOf("hotel.example.com/v2", fine, `"x"`), "convert an object without a name of no version to hotel.example.com/v2 (request.objects[1]): it is not an object"},
		{"an end within an object", reviewOf("hotel.example.com/v2", fine)[:180], "the text ends too early"},
		{"too many objects", reviewOf("hotel.example.com/v2", fine, fine, fine, fine), "too many objects in one review: more than 3"},
		{"too deep", reviewOf("hotel.example.com/v2", strings.Repeat("[", 10000)), "more than 100 levels deep"},
		{"no UTF-8 in an object", reviewOf("hotel.example.com/v2", roomOf("v1", "a", "{\"guest\":\"\xff\"}")), "not UTF-8"},
		{"something behind", reviewOf("hotel.example.com/v2", fine) + "x", "the value is followed by other text"},
	} {
		t.Run(test.reason, func(t *testing.T) {
			got := ask(t, h, test.body)
			if got.Result.Status != "Failure" || !strings.Contains(got.Result.Message, test.message) {
				t.Errorf("%+v, want a failure that says %q", got.Result, test.message)
			}
			if got.UID != "705ab4f5" || len(got.ConvertedObjects) != 0 {
				t.Errorf("uid %q, %d objects", got.UID, len(got.ConvertedObjects))
			}
		})
	}
}

// namesOf returns an object whose apiVersion and kind have the given number of bytes together,
// quotes included.
func namesOf(length int) string {
	const apiVersion = `"hotel.example.com/v1"`
	return `{"apiVersion":` + apiVersion + `,"kind":"` + strings.Repeat("K", length-len(apiVersion)-len(`""`)) + `"}`
}

// TestInPlaceOfControllerRuntime puts the handler into a project with hand-written types.
func TestInPlaceOfControllerRuntime(t *testing.T) {
	scheme := schemeOf(t, hotel.AddToScheme)
	theirs := ctrlconversion.NewWebhookHandler(scheme, ctrlconversion.NewRegistry())
	ours := handlerOf(t, webhook.Options{}, hotel.AddToScheme)
	for _, test := range []struct{ reason, body string }{
		{"to the hub", reviewOf("hotel.example.com/v2", roomOf("v1", "a", `{"beds":2,"guest":"Ann Lee","rates":[1,9007199254740993]}`))},
		{"from the hub", reviewOf("hotel.example.com/v1", roomOf("v2", "a", `{"beds":2,"guest":{"first":"Ann","last":"<Lee>"}}`))},
		{"through the hub, several", reviewOf("hotel.example.com/v1", roomOf("v1beta1", "a", `{"beds":"1"}`), roomOf("v2", "b", `{}`), roomOf("v1beta1", "c", `{}`))},
		{"with all of metadata", reviewOf("hotel.example.com/v1", `{"apiVersion":"hotel.example.com/v2","kind":"Room",`+metadata+`}`)},
		{"unknown members are dropped", reviewOf("hotel.example.com/v1", roomOf("v2", "a", `{"x":1}`))},
		{"no spec", reviewOf("hotel.example.com/v1", `{"apiVersion":"hotel.example.com/v2","kind":"Room","metadata":{"name":"a"}}`)},
		{"no metadata", reviewOf("hotel.example.com/v1", `{"apiVersion":"hotel.example.com/v2","kind":"Room"}`)},
		{"nothing to convert", reviewOf("hotel.example.com/v1")},
		{"a wrong type", reviewOf("hotel.example.com/v1", roomOf("v2", "a", `{"beds":"x"}`))},
		{"a failing conversion", reviewOf("hotel.example.com/v2", roomOf("v1beta1", "a", `{"beds":"x"}`))},
		{"a panic", reviewOf("hotel.example.com/v2", roomOf("v1beta1", "a", `{"beds":"haunted"}`))},
		{"an unknown version", reviewOf("hotel.example.com/v7", roomOf("v2", "a", `{}`))},
	} {
		t.Run(test.reason, func(t *testing.T) {
			got, want := ask(t, ours, test.body), ask(t, theirs, test.body)
			if got.Result.Status != want.Result.Status || got.UID != want.UID {
				t.Fatalf("%+v, want %+v", got.Result, want.Result)
			}
			if diff := cmp.Diff(values(t, want), values(t, got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func values(t *testing.T, response *apix.ConversionResponse) []any {
	t.Helper()
	var all []any
	for _, o := range response.ConvertedObjects {
		var value any
		if err := json.Unmarshal(o.Raw, &value); err != nil {
			t.Fatal(err)
		}
		all = append(all, value)
	}
	return all
}

// TestKindsThatDoNotExistAreNotRemembered checks that neither metrics nor routes grow with kinds
// that clients make up.
func TestKindsThatDoNotExistAreNotRemembered(t *testing.T) {
	registry := prometheus.NewRegistry()
	tel, err := telemetry.New(telemetry.Options{Metrics: registry})
	if err != nil {
		t.Fatal(err)
	}
	h := handlerOf(t, webhook.Options{Telemetry: tel}, hotel.AddToScheme)
	ask(t, h, reviewOf("hotel.example.com/v2", roomOf("v1", "a", `{}`)))
	ask(t, h, reviewOf("hotel.example.com/v2", `{"kind":"Nothing","apiVersion":"hotel.example.com/v1"}`))
	before, err := testutil.GatherAndCount(registry)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 500 {
		for _, object := range []string{
			fmt.Sprintf(`{"apiVersion":"hotel.example.com/v1","kind":"Kind%d","metadata":{}}`, i),
			fmt.Sprintf(`{"apiVersion":"hotel.example.com/v%d","kind":"Room"}`, i+10),
			fmt.Sprintf(`{"apiVersion":"group%d/v1","kind":"Room"}`, i),
			`{"apiVersion":"hotel.example.com/v1","kind":"` + strings.Repeat("K", 2000+i) + `"}`,
			`{"apiVersion":"hotel.example.com/v1","kind":"\u0052oom","metadata":{"name":"` + strings.Repeat("n", i) + `"}}`,
		} {
			ask(t, h, reviewOf("hotel.example.com/v2", object))
		}
		ask(t, h, reviewOf(fmt.Sprintf("hotel.example.com/v%d", i+10), roomOf("v1", "a", `{}`)))
	}
	if after, err := testutil.GatherAndCount(registry); err != nil || after != before {
		t.Errorf("%d series became %d: %v", before, after, err)
	}
}
