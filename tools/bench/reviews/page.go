package reviews

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stratakube/strata/tools/build/ratios"
)

// Costs are what a request costs in reviews, by cause.
type Costs struct {
	Storage, Other int // through the storage version, and through another one, without other causes
	Served         int // for each served version but the storage version
	// Managers are for the first and the second version more that managers name: through the
	// storage version, and through another one.
	Managers [2][2]int
	Policies int // for each version more that policies name
}

// costs takes the counts of a request apart. It returns an error if they do not add up: each cause
// must cost the same through each version, with and without the others.
func costs(request string, all []Count) (c Costs, err error) {
	found := map[Case]int{}
	for _, count := range all {
		found[count.Case] = count.Reviews
	}
	base := Case{Request: request, Served: usual}
	bare := func(storage bool) int {
		of := base
		of.Storage = storage
		return found[of]
	}
	c = Costs{Storage: bare(true), Other: bare(false)}
	for path, storage := range []bool{true, false} {
		last := bare(storage)
		for i := range 2 {
			managed := base
			managed.Storage, managed.Managers = storage, i+1
			if now, has := found[managed]; has {
				c.Managers[path][i], last = now-last, now
			}
		}
	}
	protected := base
	protected.Policies = 1
	c.Policies = found[protected] - c.Other
	few, many := base, base
	few.Served, few.Caches = 2, true
	many.Served, many.Caches = 2*usual, true
	c.Served = (found[many] - found[few]) / (many.Served - few.Served)
	for _, count := range all {
		if count.Request == request && count.Reviews != c.predicted(count.Case) {
			return c, fmt.Errorf("%+v: %d reviews, and not the sum of its causes, %d", count.Case, count.Reviews, c.predicted(count.Case))
		}
	}
	return c, nil
}

// predicted is the sum of the causes of a case.
func (c Costs) predicted(of Case) int {
	sum, path := c.Other, 1
	if of.Storage {
		sum, path = c.Storage, 0
	}
	if of.Caches {
		sum += c.Served * (of.Served - 1)
	}
	for i := range of.Managers {
		sum += c.Managers[path][i]
	}
	return sum + c.Policies*of.Policies
}

// rows are those of the page.
func rows() []string { return append(slices.Clone(Requests), Idle) }

// Table returns the costs of all requests. It returns an error if the counts do not add up.
func Table(all []Count) (map[string]Costs, error) {
	out := map[string]Costs{}
	for _, request := range rows() {
		c, err := costs(request, all)
		if err != nil {
			return nil, err
		}
		out[request] = c
	}
	return out, nil
}

// Ratios returns the costs by request and cause, as mage compares them.
func Ratios(table map[string]Costs) ratios.Set {
	set := ratios.Set{}
	for request, c := range table {
		for cause, count := range map[string]int{
			"through the storage version": c.Storage, "through another version": c.Other, "a served version more": c.Served,
			"a version of managers more": c.Managers[1][0], "a version of policies more": c.Policies,
		} {
			set[request+", "+cause] = float64(count)
		}
	}
	return set
}

// Page is the report on costs, in Markdown.
func Page(table map[string]Costs) string {
	var out strings.Builder
	out.WriteString(`# What a request costs in reviews

Written by ` + "`go tool mage bench:reviews -write`" + `. A real API server stores objects of a CRD, and asks
a webhook that counts. Each row is a request for one object, made again and again, with one
condition changed at a time. The program refuses counts that are not the sum of their causes.

- *Through the storage version* and *through another version*: what the request itself costs.
- *A served version more*: what a cache of the API server costs, for each served version but the
  storage version. It is the difference between an API server with and without these caches.
- *A version of managers more*: what another version costs that ` + "`managedFields`" + ` of the object name,
  beside the storage version and that of the request.
- *A version of policies more*: what another version costs that an admission policy or webhook names
  and that matches equivalent requests.

Where there is a range, the first version through the storage version costs least. Reads from caches
cost nothing. The last row is for an object to which nobody sends a request. Every 5 to 7.5 minutes
the API server compares each of its caches with etcd, and converts all objects for that.

![What a request costs in reviews](reviews.svg)

| request | through the storage version | through another version | a served version more | a version of managers more | a version of policies more |
|---|---|---|---|---|---|
`)
	for _, request := range rows() {
		c := table[request]
		fmt.Fprintf(&out, "| %s | %d | %d | %d | %s | %d |\n", request, c.Storage, c.Other, c.Served, c.managers(), c.Policies)
	}
	return out.String()
}

// managers is the cell of versions of managers.
func (c Costs) managers() string {
	all := slices.Concat(c.Managers[0][:], c.Managers[1][:])
	least, most := slices.Min(all), slices.Max(all)
	if least == most {
		return fmt.Sprint(most)
	}
	return fmt.Sprintf("%d to %d", least, most)
}
