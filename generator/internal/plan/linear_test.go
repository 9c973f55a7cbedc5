package plan_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/cputime"
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
	{"names that change their letters", [4]func(*strings.Builder, int){many("string"), shouted("string"), open("string"), many("string")}},
	{"names without a neighbour", [4]func(*strings.Builder, int){many("string"), open("&Wide"), shouted("string"), many("string")}},
	{"members in bags", [4]func(*strings.Builder, int){many("string"), open("any"), many("bool"), open("&Wide")}},
}

func open(typ string) func(*strings.Builder, int) {
	return func(b *strings.Builder, n int) { fmt.Fprintf(b, "      .known string\n      * %s\n", typ) }
}

func many(typ string) func(*strings.Builder, int) { return numbered("p%d", typ) }

func shouted(typ string) func(*strings.Builder, int) { return numbered("P%d", typ) }

func numbered(name, typ string) func(*strings.Builder, int) {
	return func(b *strings.Builder, n int) {
		for i := range n {
			fmt.Fprintf(b, "      ."+name+" %s\n", i, typ)
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

// TestPlansOfWideObjectsAreLinear links and plans objects of four times the members within one run,
// first without and then with the ledger of the first time. Linear work takes four times the
// processor time, quadratic work 16 times.
func TestPlansOfWideObjectsAreLinear(t *testing.T) {
	for _, test := range wideObjects {
		t.Run(test.name, func(t *testing.T) {
			few, many := resourcesOf(t, wideModel(test.versions, 1000))[0], resourcesOf(t, wideModel(test.versions, 4000))[0]
			const tries, tooSteep = 15, 9
			least := [2]time.Duration{1 << 62, 1 << 62}
			for range tries {
				for i, r := range []*model.Resource{few, many} {
					began := cputime.Used()
					planTwice(t, r)
					least[i] = min(least[i], cputime.Used()-began)
				}
				if least[1] < tooSteep*least[0] {
					return
				}
			}
			t.Errorf("1000 members take %s, 4000 take %s", least[0], least[1])
		})
	}
}

func planTwice(t *testing.T, r *model.Resource) {
	t.Helper()
	var opts chain.Options
	for range 2 {
		c, problems := chain.Link(context.Background(), []*model.Resource{r}, opts)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		plan.Decide(context.Background(), c, plan.Options{})
		opts.Records = map[string]*chain.Record{strings.ToLower(r.Type): c.Groups[0].Resources[0].Record()}
	}
}
