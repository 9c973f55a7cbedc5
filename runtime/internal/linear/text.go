package linear

import (
	"strings"

	"github.com/stratakube/strata/runtime"
)

// Lists returns JSON of n nested lists, with n numbers in the innermost.
func Lists(n int) string {
	return strings.Repeat("[", n) + Members(n, func(int) string { return "1" }) + strings.Repeat("]", n)
}

// Boxes returns JSON of n nested objects. The innermost has a list of n numbers under name.
func Boxes(n int, name string) runtime.JSON {
	bottom := `{"` + name + `":[` + Members(n, func(int) string { return "1" }) + `]}`
	return runtime.JSON(strings.Repeat(`{"inner":`, n) + bottom + strings.Repeat("}", n))
}

// Members returns n members or elements, separated by commas. Write returns each of them.
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
