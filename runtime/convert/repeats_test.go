package convert

import (
	"strings"
	"testing"
)

func TestRepeats(t *testing.T) {
	long := `{"f:spec":{` + strings.Repeat(`"f:a":{},`, 20) + `"f:b":{}}}`
	var r repeats
	for _, value := range []string{long, long + " ", `{"short":{}}`, strings.Repeat("7", minRepeat), `"` + long + `"`} {
		r.add([]byte(value), 10)
	}
	for _, test := range []struct {
		reason, data string
		room, length int
	}{
		{"the same again, with anything behind", long + `,"x":{`, 10, len(long)},
		{"with more room than before", long, 11, len(long)},
		{"with less room", long, 9, 0},
		{"cut off", long[:len(long)-1], 10, 0},
		{"another", strings.Replace(long, "f:b", "f:c", 1), 10, 0},
		{"a short one", `{"short":{}}`, 10, 0},
		{"a number, which might go on", strings.Repeat("7", minRepeat) + "7", 10, 0},
		{"nothing", "", 10, 0},
	} {
		if got := r.length([]byte(test.data), test.room); got != test.length {
			t.Errorf("%s: %d bytes are known, want %d", test.reason, got, test.length)
		}
	}
	for i := range r.texts {
		r.add([]byte(strings.Replace(long, "f:b", "f:"+strings.Repeat("b", i+2), 1)), 10)
	}
	if r.length([]byte(long), 10) != 0 {
		t.Error("what was added first is still known")
	}
}
