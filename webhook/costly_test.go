package webhook_test

import (
	"context"
	"fmt"
	goruntime "runtime"
	"strings"
	"testing"

	"github.com/stratakube/strata/webhook"
	"github.com/stratakube/strata/webhook/engine"
	"github.com/stratakube/strata/webhook/internal/example/crm"
	"github.com/stratakube/strata/webhook/internal/heaptest"
)

// priced is an engine whose conversions have a fixed cost. It counts them.
type priced struct {
	echo
	cost  int64
	calls *int
}

func (p priced) Converter(pair engine.Pair) engine.Converter {
	return pricedConverter{echoing{pair}, p}
}

type pricedConverter struct {
	echoing
	priced
}

func (c pricedConverter) Cost([]byte) int64 { return c.cost }
func (c pricedConverter) Append(ctx context.Context, dst, object []byte) ([]byte, error) {
	*c.calls++
	return c.echoing.Append(ctx, dst, object)
}

// storable is the size of the largest object that etcd stores by default.
const storable = 3 << 19

// roomOfLength returns a room of so many bytes.
func roomOfLength(length int) string {
	return roomOf("v1", "a", `{"guest":"`+strings.Repeat("x", length-len(roomOf("v1", "a", `{"guest":""}`)))+`"}`)
}

// TestObjectThatCostsTooMuch checks the limit to the byte. A review with an object above it fails
// with the name of the object, which is not converted. An object that etcd stores never fails.
func TestObjectThatCostsTooMuch(t *testing.T) {
	for _, test := range []struct {
		limits webhook.Limits
		length int
		cost   int64
		fails  bool
	}{
		{webhook.Limits{}, storable + 1, 320 << 20, false},
		{webhook.Limits{}, storable + 1, 320<<20 + 1, true},
		{webhook.Limits{}, storable, 320<<20 + 1, false},
		{webhook.Limits{InFlightBytes: 64 << 20}, storable + 1, 80 << 20, false},
		{webhook.Limits{InFlightBytes: 64 << 20}, storable + 1, 80<<20 + 1, true},
		{webhook.Limits{InFlightBytes: 64 << 20}, 1 << 10, 80<<20 + 1, false},
		{webhook.Limits{}, storable + 1, 1 << 62, true},
		{webhook.Limits{}, storable, 1 << 62, false},
	} {
		t.Run(fmt.Sprint(test.limits.InFlightBytes, test.length, test.cost), func(t *testing.T) {
			room := roomOfLength(test.length)
			calls := 0
			options, read := observed(t, test.limits)
			h := webhook.New(priced{echo{}, test.cost, &calls}, options)
			want := fmt.Sprintf("convert Room a of hotel.example.com/v1 to hotel.example.com/v2 (request.objects[0]): its conversion may need %d bytes of memory", test.cost)
			for range 2 { // the first object of a kind, and the next
				got := ask(t, h, reviewOf("hotel.example.com/v2", room)).Result
				if fails := got.Status == "Failure"; fails != test.fails || fails && (!strings.Contains(got.Message, want) || !strings.Contains(got.Message, "--max-in-flight-bytes")) {
					t.Errorf("%s: %s", got.Status, got.Message)
				}
			}
			if converts := calls > 0; converts == test.fails {
				t.Errorf("%d conversions", calls)
			}
			if got := read("bytes_in_flight"); got != 0 {
				t.Errorf("%v bytes are still counted", got)
			}
			if got := ask(t, h, reviewOf("hotel.example.com/v1", room)).Result; got.Status != "Success" {
				t.Errorf("an object that needs no conversion: %s", got.Message)
			}
		})
	}
}

// planning is an engine whose plans convert every object, and whose types are priced.
type planning struct{ priced }

func (p planning) Converter(pair engine.Pair) engine.Converter {
	return planningConverter{p.priced.Converter(pair).(pricedConverter)}
}

type planningConverter struct{ pricedConverter }

func (c planningConverter) Try(ctx context.Context, dst, object []byte) ([]byte, *engine.Refusal) {
	out, _ := c.echoing.Append(ctx, dst, object)
	return out, nil
}

// TestPlansConvertObjectsThatCostTooMuch checks that the limit applies to conversions by Go types
// only.
func TestPlansConvertObjectsThatCostTooMuch(t *testing.T) {
	calls := 0
	h := webhook.New(planning{priced{echo{}, 1 << 40, &calls}}, webhook.Options{})
	if got := ask(t, h, reviewOf("hotel.example.com/v2", roomOfLength(storable+1))).Result; got.Status != "Success" || calls != 0 {
		t.Errorf("%s: %s; %d conversions by types", got.Status, got.Message, calls)
	}
}

// partyOfMembers returns a Party with n members, of which the first has the wrong type, so that no
// plan converts it.
func partyOfMembers(n int) string {
	return `{"apiVersion":"crm.example.com/v20150505","kind":"Party","metadata":{"name":"hollow"},"spec":{"properties":{"members":[7` + strings.Repeat(",{}", n) + `]}}}`
}

// TestObjectOfNothing converts objects that contain only empty objects, whose Go values need
// far more memory than their text. Whether they convert or fail, they must allocate less than the
// container of a replica has.
func TestObjectOfNothing(t *testing.T) {
	const container = 1 << 30
	h := handlerOf(t, webhook.Options{}, crm.AddToScheme)
	for _, test := range []struct {
		members int
		want    string
	}{
		{100_000, "Success"},
		{2_700_000, "Failure"},
	} {
		t.Run(fmt.Sprint(test.members), func(t *testing.T) {
			body := reviewOf("crm.example.com/v20190909", partyOfMembers(test.members))
			var before, after goruntime.MemStats
			goruntime.ReadMemStats(&before)
			w := send(h, body)
			goruntime.ReadMemStats(&after)
			if got := after.TotalAlloc - before.TotalAlloc; got > container/2 {
				t.Errorf("%d bytes are allocated for an object of %d", got, len(body))
			}
			got := responseOf(t, w.Body.Bytes()).Result
			if got.Status != test.want || got.Status == "Failure" && !strings.Contains(got.Message, "convert Party hollow of crm.example.com/v20150505") {
				t.Errorf("%s: %s", got.Status, got.Message)
			}
		})
	}
}

// TestDearestObjectThatConverts searches for the largest number of empty objects that converts, and
// measures the conversion. The memory in use must be below what one object may cost, and not much
// below: else objects are refused for which there is room.
func TestDearestObjectThatConverts(t *testing.T) {
	const limit, affordable = 96 << 20, 120 << 20
	h := handlerOf(t, webhook.Options{Limits: webhook.Limits{ObjectBytes: 3 << 20, InFlightBytes: limit}}, crm.AddToScheme)
	convert := func(members int) (status string) {
		return responseOf(t, send(h, reviewOf("crm.example.com/v20190909", partyOfMembers(members))).Body.Bytes()).Result.Status
	}
	least, most := 0, 1<<20
	for most-least > 1000 {
		if n := (least + most) / 2; convert(n) == "Success" {
			least = n
		} else {
			most = n
		}
	}
	used := heaptest.InUse(func() {
		if status := convert(least); status != "Success" {
			t.Errorf("%d members: %s", least, status)
		}
	})
	t.Logf("%d members convert, and have %d bytes in use", least, used)
	if len(partyOfMembers(least+2000)) < storable || most == 1<<20 || used > affordable || used < affordable/4 {
		t.Errorf("of 1 to %d members, up to %d convert, and have %d bytes in use", 1<<20, least, used)
	}
}

// TestOneObjectFailsNoList creates an object of 1.4 MiB of nothing, which etcd stores: a plan
// converts it, however much its Go values may cost. An older version shows it by Go types, since it
// hides a value and is larger than plans hide values in. The list that has it must not fail.
func TestOneObjectFailsNoList(t *testing.T) {
	created := `{"apiVersion":"crm.example.com/v20190909","kind":"Party","metadata":{"name":"hollow"},"spec":{"properties":{"members":[{"share":1}` +
		strings.Repeat(",{}", 480_000) + `]}}}`
	h := handlerOf(t, webhook.Options{}, crm.AddToScheme)
	up := ask(t, h, reviewOf("crm.example.com/v20190909storage", created))
	if up.Result.Status != "Success" {
		t.Fatalf("it is not created: %s", up.Result.Message)
	}
	other := `{"apiVersion":"crm.example.com/v20190909storage","kind":"Party","metadata":{"name":"other"}}`
	if got := ask(t, h, reviewOf("crm.example.com/v20150505", other, string(up.ConvertedObjects[0].Raw))).Result; got.Status != "Success" {
		t.Errorf("%s: %s", got.Status, got.Message)
	}
}
