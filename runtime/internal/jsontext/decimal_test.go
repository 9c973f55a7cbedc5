package jsontext

import "testing"

func TestPowers(t *testing.T) {
	for text, want := range map[string]struct {
		power int64
		ok    bool
	}{
		"":           {},
		"+":          {},
		"-":          {},
		"7":          {7, true},
		"+07":        {7, true},
		"-12":        {-12, true},
		"123456789":  {123456789, true},
		"-123456789": {-123456789, true},
		"1234567890": {},
		"1/":         {},
		"1:":         {},
		"09":         {9, true},
	} {
		if power, ok := parsePower([]byte(text)); power != want.power || ok != want.ok {
			t.Errorf("%q is %d, %t, want %v", text, power, ok, want)
		}
	}
}

// TestIntegersOfDecimals also checks that a large power of ten does not cause a loop of as many
// steps.
func TestIntegersOfDecimals(t *testing.T) {
	for _, test := range []struct {
		digits   string
		exponent int64
		want     int64
		ok       bool
	}{
		{"1", 0, 1, true},
		{"-12", 2, -1200, true},
		{"9223372036854775807", 0, 9223372036854775807, true},
		{"-9223372036854775808", 0, -9223372036854775808, true},
		{"9223372036854775808", 0, 0, false},
		{"1", 18, 1000000000000000000, true},
		{"1", 19, 0, false},
		{"-1", 18, -1000000000000000000, true},
		{"1", 1 << 40, 0, false},
	} {
		n, ok := Integer([]byte(test.digits), test.exponent)
		if ok != test.ok || ok && n != test.want {
			t.Errorf("%se%d is %d, %t", test.digits, test.exponent, n, ok)
		}
	}
}
