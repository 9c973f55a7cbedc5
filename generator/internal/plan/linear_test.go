package plan_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/plan"
)

// wideObjects are the members of an object in four versions, by their number.
var wideObjects = []struct {
	name     string
	versions [4]func(b *strings.Builder, n int)
}{
	{"named members of an open object", [4]func(*strings.Builder, int){open("any"), many("string"), open("string"), open("any")}},
	{"members of two types", [4]func(*strings.Builder, int){many("string"), many("int"), open("any"), many("int")}},
	{"members of objects that are further members", [4]func(*strings.Builder, int){open("&Wide"), oneWider, open("&Wider"), oneWider}},
	{"members in bags", [4]func(*strings.Builder, int){many("string"), open("any"), many("bool"), open("&Wide")}},
}

func open(typ string) func(*strings.Builder, int) {
	return func(b *strings.Builder, n int) { fmt.Fprintf(b, "      .known string\n      * %s\n", typ) }
}

func many(typ string) func(*strings.Builder, int) {
	return func(b *strings.Builder, n int) {
		for i := range n {
			fmt.Fprintf(b, "      .p%d %s\n", i, typ)
		}
	}
}

func oneWider(b *strings.Builder, n int) {
	b.WriteString("      .known string\n      .danger &Wider\n")
}

func wideModel(versions [4]func(*strings.Builder, int), n int) string {
	var b strings.Builder
	b.WriteString("resource Microsoft.Shop/carts\n  kind Cart carts\n")
	for i, members := range versions {
		fmt.Fprintf(&b, "  version 202%d-01-01\n    spec &CartSpec\n    def CartSpec object\n      .o &Open\n    def Open object\n", i)
		members(&b, n)
		b.WriteString("    def Wide object\n")
		many("string")(&b, n)
		b.WriteString("    def Wider object\n")
		many("int")(&b, 2*n)
	}
	return b.String()
}

// TestPlansOfWideObjectsAreLinear decides plans of objects of four times the members within one run. Linear work takes four
// times as long, quadratic work 16 times.
func TestPlansOfWideObjectsAreLinear(t *testing.T) {
	for _, test := range wideObjects {
		t.Run(test.name, func(t *testing.T) {
			few, many := linked(t, wideModel(test.versions, 1500)), linked(t, wideModel(test.versions, 6000))
			const tries, tooSteep = 5, 9
			least := [2]time.Duration{1 << 62, 1 << 62}
			for range tries {
				for i, c := range []*chain.Chain{few, many} {
					began := time.Now()
					plan.Decide(context.Background(), c, plan.Options{})
					least[i] = min(least[i], time.Since(began))
				}
				if least[1] < tooSteep*least[0] {
					return
				}
			}
			t.Errorf("1500 members take %s, 6000 take %s", least[0], least[1])
		})
	}
}

func linked(t *testing.T, text string) *chain.Chain {
	t.Helper()
	resources, err := model.Parse("model", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	c, problems := chain.Link(context.Background(), resources, chain.Options{})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return c
}
