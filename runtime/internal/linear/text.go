package linear

import (
	"strings"

	"github.com/stratakube/strata/runtime"
)

// Lists are lists within each other, n deep, with n numbers at the bottom.
func Lists(n int) string {
	return strings.Repeat("[", n) + Members(n, func(int) string { return "1" }) + strings.Repeat("]", n)
}

// Boxes are boxes within each other, n deep, with such a number of values at the bottom.
func Boxes(n int, name string) runtime.JSON {
	bottom := `{"` + name + `":[` + Members(n, func(int) string { return "1" }) + `]}`
	return runtime.JSON(strings.Repeat(`{"inner":`, n) + bottom + strings.Repeat("}", n))
}

// Members writes n members or elements, each made by write, behind a comma where it is not the
// first.
func Members(n int, write func(i int) string) string {
	var out strings.Builder
	for i := range n {
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteString(write(i))
	}
	return out.String()
}
