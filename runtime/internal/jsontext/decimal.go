package jsontext

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// AppendDecimal splits a number into its digits and the power of ten. Digits has no leading or
// trailing zeros, and begins with a minus if the number is negative. Zero has no digits.
func AppendDecimal(out, literal []byte) (digits []byte, exponent int64, ok bool) {
	mantissa, power, scientific := bytes.Cut(literal, []byte("e"))
	if !scientific {
		mantissa, power, scientific = bytes.Cut(literal, []byte("E"))
	}
	if scientific {
		if exponent, ok = parsePower(power); !ok {
			return nil, 0, false
		}
	}
	sign, fraction := 0, false
	for _, b := range mantissa {
		switch {
		case b == '-':
			out, sign = append(out, b), 1
		case b == '.':
			fraction = true
		case b < '0' || b > '9':
			return nil, 0, false
		default:
			if fraction {
				exponent--
			}
			if b != '0' || len(out) > sign {
				out = append(out, b)
			}
		}
	}
	for len(out) > sign && out[len(out)-1] == '0' {
		out = out[:len(out)-1]
		exponent++
	}
	if len(out) == sign {
		return nil, 0, true
	}
	return out, exponent, true
}

// parsePower reads a power of ten. It refuses one of more than nine digits; such a number is zero
// or infinity in floating point.
func parsePower(power []byte) (int64, bool) {
	const longest = 9
	negative := len(power) > 0 && power[0] == '-'
	if negative || len(power) > 0 && power[0] == '+' {
		power = power[1:]
	}
	if len(power) == 0 || len(power) > longest {
		return 0, false
	}
	n := int64(0)
	for _, b := range power {
		if b < '0' || b > '9' {
			return 0, false
		}
		n = n*10 + int64(b-'0')
	}
	if negative {
		n = -n
	}
	return n, true
}

// Integer returns a decimal as an integer, if 64 bits can represent it.
func Integer(digits []byte, exponent int64) (int64, bool) {
	const longest = 20
	if int64(len(digits))+exponent > longest {
		return 0, false
	}
	var buffer [longest]byte
	literal := append(buffer[:0], digits...)
	for range exponent {
		literal = append(literal, '0')
	}
	n, err := strconv.ParseInt(string(literal), 10, 64)
	return n, err == nil
}

// IsInteger reports whether a JSON number is spelled without a fraction, an exponent or leading
// zeros.
func IsInteger(literal string) bool {
	digits := literal
	if len(digits) > 0 && digits[0] == '-' {
		digits = digits[1:]
	}
	if digits == "" || digits[0] == '0' && len(literal) > 1 {
		return false
	}
	for i := range len(digits) {
		if digits[i] < '0' || digits[i] > '9' {
			return false
		}
	}
	return true
}

// Parse parses JSON. It keeps the spelling of numbers.
func Parse(data []byte) (value any, err error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	return value, decoder.Decode(&value)
}

// IsSameNumber compares integers exactly and other numbers as float64.
func IsSameNumber(a, b string) bool {
	if a == b {
		return true
	}
	if IsInteger(a) && IsInteger(b) {
		return false
	}
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	return errX == nil && errY == nil && x == y
}

// Integer reads an integer of 64 bits. It returns -1 for any other value.
func (c *Cursor) Integer() int64 {
	n, err := strconv.ParseInt(string(c.Raw()), 10, 64)
	if err != nil {
		return -1
	}
	return n
}
