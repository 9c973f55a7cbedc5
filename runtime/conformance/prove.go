package conformance

import (
	"fmt"
	"testing"
)

// Prove tests all types and conversions of a kind: each alone, like [Run], and the laws of all
// together. The laws have their own parallel test, which ends at the first failure. If
// STRATA_CERTIFICATE names a folder, Prove writes a report there of how often each law was
// exercised at each property.
func Prove(t *testing.T, k Versions) {
	t.Helper()
	spokes, err := k.spokes()
	if err != nil {
		t.Fatal(err)
	}
	Run(t, Resource(k.resource, spokes...))
	t.Run(testName(k.resource, "laws"), func(t *testing.T) {
		t.Parallel()
		if err := k.proveLaws(); err != nil {
			t.Error(err)
		}
	})
}

func (k Versions) proveLaws() error {
	c, err := k.compile()
	if err != nil {
		return err
	}
	written := len(c.written())
	if written == 0 {
		return nil
	}
	o, err := readOptions(k.resource)
	if err != nil {
		return err
	}
	cases := o.kindCases(written)
	if err := c.check(o.seed, cases); err != nil {
		return err
	}
	return c.certify(o, cases)
}

// check tests a number of cases. It reports a failure for the smallest case that breaks the same
// law.
func (c *chain) check(seed uint64, cases int) error {
	for i := range cases {
		at := seed + uint64(i)
		if err := c.prove(at, usualScale); err != nil {
			return fmt.Errorf("case %d: %w\nto repeat it: STRATA_SEED=%#x STRATA_CASES=1", i, c.shrink(at, err), at)
		}
	}
	return nil
}

// shrink returns the failure of the smallest case that it finds for the same version and law, or
// the given one.
func (c *chain) shrink(seed uint64, failure error) error {
	broken := c.proving
	for _, s := range smaller {
		for i := range uint64(attempts) {
			if err := c.prove(seed+i*uint64(len(c.written())), s); err != nil && c.proving == broken {
				return err
			}
		}
	}
	return failure
}

const attempts = 50

var smaller = [...]scale{
	{budget: 0, writes: 0, others: 1}, {budget: 3, writes: 0, others: 1}, {budget: 3, writes: 1, others: 2},
	{budget: 8, writes: 1, others: 2}, {budget: 24, writes: 2, others: 3},
}
