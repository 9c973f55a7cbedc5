package chain

import (
	"context"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/stratakube/strata/generator/internal/chain/chaintest"
	"github.com/stratakube/strata/generator/internal/model"
)

// TestOneRoundOfKeys checks that one round over the places gives all keys. Whatever links places
// add afterwards, no property without a key borders on an object that cannot represent it. The
// random cases include later runs with the ledger.
func TestOneRoundOfKeys(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := chaintest.Resources(t, chaintest.Options{Names: chaintest.Plain, Resources: 1, Versions: 6, Statuses: true})[0]
		records := map[string]*Record{}
		for n := 1; n <= len(all.Versions); n++ {
			part := *all
			part.Versions = all.Versions[:n:n]
			c, problems := Link(context.Background(), []*model.Resource{&part}, Options{Records: records})
			if len(problems) > 0 {
				t.Fatal(problems)
			}
			r := c.Groups[0].Resources[0]
			before := r.countKeys()
			for links := -1; links != r.countLinks(); {
				links = r.countLinks()
				for _, p := range r.places {
					p.giveKeys()
					p.spread()
				}
			}
			if now := r.countKeys(); now != before {
				t.Fatalf("with %d versions, more rounds give %d keys in place of %d", n, now, before)
			}
			records[strings.ToLower(all.Type)] = r.Record()
		}
	})
}

func (r *Resource) countLinks() int {
	n := 0
	for _, p := range r.places {
		for _, linked := range p.linked {
			n += len(linked)
		}
	}
	return n
}

func (r *Resource) countKeys() int {
	n := 0
	for _, p := range r.places {
		n += len(p.taken)
	}
	return n
}
