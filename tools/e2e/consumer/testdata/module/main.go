// Command outside carries a value through a property bag, as generated code does.
package main

import (
	"fmt"

	"github.com/stratakube/strata/runtime"
)

func main() {
	name := "Ada"
	var bag runtime.PropertyBag
	runtime.Stash(&bag, "middleName", &name)

	var recalled *string
	ok := runtime.Recall(&bag, "middleName", &recalled)
	fmt.Println(ok, *recalled, len(bag))
}
