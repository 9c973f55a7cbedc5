package webhook_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stratakube/strata/webhook"
	"github.com/stratakube/strata/webhook/internal/example/crm"
	"github.com/stratakube/strata/webhook/internal/heaptest"
)

// TestHeapOfWrongElements checks the memory that a review with a list of wrongly typed elements has
// in use, with its body and its answer. The plan refuses such objects, so that Go types convert
// them, in two steps.
func TestHeapOfWrongElements(t *testing.T) {
	const most = 16 // bytes for each byte of the object
	h := handlerOf(t, webhook.Options{}, crm.AddToScheme)
	for _, test := range []struct {
		element string
		sizes   []int
	}{
		{"1", []int{1 << 20, 8<<20 - 1<<10}},
		{`"a"`, []int{1 << 20, 8<<20 - 1<<10}},
		{"null", []int{1 << 20, 8<<20 - 1<<10}},
		{`[]`, []int{1 << 20}},
		{`{"share":"none"}`, []int{1 << 20}},
		{`{"role":[1,{}]}`, []int{1 << 20}},
		{`{"unknown":1}`, []int{1 << 20}},
		{`{"role":"a role"},{"role":2}`, []int{1 << 20}},
	} {
		for _, size := range test.sizes {
			t.Run(fmt.Sprintf("%d of %s", size, test.element), func(t *testing.T) {
				elements := strings.Repeat(test.element+",", size/(len(test.element)+1)-20)
				object := `{"apiVersion":"crm.example.com/v20150505","kind":"Party","metadata":{"name":"wrong"},"spec":{"properties":{"members":[` + elements + `7]}}}`
				body := reviewOf("crm.example.com/v20190909", object)
				status := ""
				heap := heaptest.InUse(func() { status = responseOf(t, send(h, body).Body.Bytes()).Result.Status })
				each := float64(heap) / float64(len(object))
				t.Logf("%.1f bytes for each of %d", each, len(object))
				if status != "Success" || each > most || each < 2 {
					t.Errorf("%s, with %.1f bytes in use for each of %d, at most %d wanted", status, each, len(object), most)
				}
			})
		}
	}
}

// TestLargeObjectsOfStructs converts objects of nearly 8 MiB that consist of structs, and which no
// plan converts. They must not be refused, and the gate must reserve what a review has in use.
func TestLargeObjectsOfStructs(t *testing.T) {
	if os.Getenv("STRATA_LONG") == "" && os.Getenv("STRATA_SOAK") == "" {
		t.Skip("needs STRATA_LONG=1: converts objects of eight megabytes")
	}
	const size = 8<<20 - 1<<12
	h := handlerOf(t, webhook.Options{}, crm.AddToScheme)
	for _, element := range []string{`{"role":"a role"}`, `{"role":"a role","personName":"a"}`, `{"role":"a role of some length, as real ones have it","personName":"a name"}`} {
		for _, version := range []string{"v20190909", "v20190909storage"} {
			t.Run(element+" to "+version, func(t *testing.T) {
				elements := strings.Repeat(element+",", size/(len(element)+1)-20)
				object := `{"apiVersion":"crm.example.com/v20150505","kind":"Party","metadata":{"name":"large"},"spec":{"properties":{"members":[` + elements + `7]}}}`
				body := reviewOf("crm.example.com/"+version, object)
				status := ""
				heap := heaptest.InUse(func() { status = responseOf(t, send(h, body).Body.Bytes()).Result.Status })
				each := float64(heap) / float64(len(object))
				t.Logf("%.1f bytes for each of %d", each, len(object))
				if status != "Success" || each > 17 || each < 2 {
					t.Errorf("%s, with %.1f bytes in use for each of %d, at most 17 wanted", status, each, len(object))
				}
			})
		}
	}
}
