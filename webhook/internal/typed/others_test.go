package typed

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestOthersAreFoundInLinearTime compares objects with eight times the members within one run.
// Quadratic code would take 64 times as long.
func TestOthersAreFoundInLinearTime(t *testing.T) {
	of := func(count int) []byte {
		var text strings.Builder
		for i := range count {
			fmt.Fprintf(&text, `,"member%d":1`, i)
		}
		return []byte(`{"kind":"K"` + text.String() + `}`)
	}
	few, many := of(2000), of(16000)
	ratio := 0.0
	for range 5 {
		began := time.Now()
		for range 8 {
			if got := len(others(t.Context(), few)); got != 2000 {
				t.Fatalf("%d members", got)
			}
		}
		middle := time.Now()
		if got := len(others(t.Context(), many)); got != 16000 {
			t.Fatalf("%d members", got)
		}
		if ratio = float64(time.Since(middle)) / float64(middle.Sub(began)); ratio < 3 {
			return
		}
	}
	t.Errorf("eight times the members take %.1f times as long as eight times the few", ratio)
}

func TestOthers(t *testing.T) {
	got := ""
	for _, m := range others(t.Context(), []byte(`{"kind":"K","b":1,"a":2,"b":3,"spec":{},"\u0061":4,"":5}`)) {
		got += string(m.name) + "=" + string(m.value) + " "
	}
	if want := `"b"=3 "a"=2 "\u0061"=4 ""=5 `; got != want {
		t.Errorf("others are %s, want %s", got, want)
	}
}
