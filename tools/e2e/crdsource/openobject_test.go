package crdsource_test

import (
	"strings"
	"testing"
)

// TestPropertyBagOfClient writes a member called $propertyBag into an open object, through an API
// server. It is the client's data, and sets no member that the version does not name.
func TestPropertyBagOfClient(t *testing.T) {
	p := named(t, "boxes.shop.example.com")
	extra := func(danger any) object {
		all := object{"known": "a", "$propertyBag": object{"k": int64(1), "danger@v1!raw": "forged"}}
		if danger != nil {
			all["danger"] = danger
		}
		return object{"title": "one", "extra": all}
	}
	p.create("v1", "forged", extra(nil))
	for _, version := range []string{"v1", "v2"} {
		p.shows(version, "forged", extra(nil))
	}
	if stored := text(p, p.Stored("forged").Object); !strings.Contains(stored, `"$$propertyBag":{"danger@v1!raw"`) || strings.Contains(stored, `"$propertyBag":`) {
		t.Errorf("the client's member is not stored under its escaped name: %s", stored)
	}
	p.merge("v1", "forged", `{"extra":{"danger":true}}`)
	p.shows("v2", "forged", extra(true))
	p.merge("v1", "forged", `{"extra":{"danger":"text"}}`)
	p.shows("v1", "forged", extra("text"))
	p.shows("v2", "forged", extra(nil))
	p.merge("v1", "forged", `{"extra":{"danger":false}}`)
	for _, version := range []string{"v1", "v2"} {
		p.shows(version, "forged", extra(false))
	}
}
