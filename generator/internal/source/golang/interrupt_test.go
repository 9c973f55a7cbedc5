package golang_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stratakube/strata/generator/internal/countdown"
	"github.com/stratakube/strata/generator/internal/golden"
	"github.com/stratakube/strata/generator/internal/source/golang"
)

// TestInterruptedRead counts how often reading looks whether its context has ended: at least once
// for each declaration, for each field and for each version of a resource. Once the context has
// ended, wherever that is, it returns that error at once.
func TestInterruptedRead(t *testing.T) {
	const versions, types, fields = 20, 30, 10
	dir := unpack(t, golden.Files{"shop/shop.go": bigPackage(versions, types, fields)})
	t.Setenv("GOWORK", "off")
	t.Setenv("GOFLAGS", "-mod=readonly")
	t.Setenv("GOPROXY", "off")
	read := func(most int64) (looked int64, err error) {
		ctx := countdown.New(t.Context(), most)
		result, err := golang.Read(ctx, golang.Options{Dir: dir, Packages: []string{"./..."}, Output: "example.com/shop/gen"})
		if err == nil && (len(result.Broken) > 0 || len(result.Resources[0].Versions) != versions) {
			t.Errorf("after %d looks: %v, %d versions", most, result.Broken, len(result.Resources[0].Versions))
		}
		return ctx.Checks(), err
	}
	all, err := read(math.MaxInt64)
	if err != nil {
		t.Fatal(err)
	}
	if want := int64(versions + types + types*fields); all < want {
		t.Errorf("it looks %d times at its context, want %d", all, want)
	}
	for most := int64(1); most < all; most += 1 + all/6 {
		if n, err := read(most); !errors.Is(err, context.Canceled) || n > most+types+2 {
			t.Errorf("it looks %d times at a context that ends after %d looks: %v", n, most, err)
		}
	}
}

// bigPackage has one resource in a number of versions, whose spec refers to types of many fields.
func bigPackage(versions, types, fields int) string {
	var b strings.Builder
	b.WriteString("// +groupName=shop.example.com\n")
	for v := range versions {
		fmt.Fprintf(&b, "// +strata:version:name=v%d\n", v+1)
	}
	b.WriteString("package shop\n\n// +strata:resource\ntype WidgetSpec struct {\n")
	for i := range types {
		fmt.Fprintf(&b, "\tP%d T%d `json:\"p%d\"`\n", i, i, i)
	}
	b.WriteString("}\n")
	for i := range types {
		fmt.Fprintf(&b, "\ntype T%d struct {\n", i)
		for j := range fields {
			fmt.Fprintf(&b, "\tF%d string `json:\"f%d\"`\n", j, j)
		}
		b.WriteString("}\n")
	}
	return b.String()
}
