package conversion

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/stratakube/strata/runtime/convert"
)

// Plans has the plans of kinds, by group. It is safe for concurrent use.
type Plans struct {
	sets map[string]*convert.PlanSet
	// unplanned are kinds without plans, by group.
	unplanned map[string][]convert.PlannedKind

	lock       sync.Mutex
	converters map[[4]string]*route
}

// Add adds the plans of a file that strata generate wrote. Two files of one group are an error.
func (p *Plans) Add(text []byte) error {
	set, err := convert.ReadPlans(text)
	if err != nil {
		return err
	}
	if p.sets == nil {
		p.sets, p.converters = map[string]*convert.PlanSet{}, map[[4]string]*route{}
	}
	if p.sets[set.Group()] != nil {
		return fmt.Errorf("another file has plans of the group %s", set.Group())
	}
	p.sets[set.Group()] = set
	return nil
}

// Lacks states that a kind has versions between which only plans of another source can convert.
// Objects that would have to be converted are refused, unless such plans are added.
func (p *Plans) Lacks(group, kind string, versions []string) {
	if p.unplanned == nil {
		p.unplanned = map[string][]convert.PlannedKind{}
	}
	k := convert.PlannedKind{Kind: kind}
	for _, v := range versions {
		k.Versions = append(k.Versions, convert.PlannedVersion{Name: v})
	}
	p.unplanned[group] = append(p.unplanned[group], k)
}

// Groups returns the groups that have plans or kinds without them, sorted.
func (p *Plans) Groups() []string {
	out := slices.AppendSeq(slices.Collect(maps.Keys(p.sets)), maps.Keys(p.unplanned))
	slices.Sort(out)
	return slices.Compact(out)
}

// HasVersion reports whether some kind has an API version.
func (p *Plans) HasVersion(version string) bool {
	return slices.Contains(p.Versions(), version)
}

// Versions returns the API versions of all kinds, sorted.
func (p *Plans) Versions() []string {
	var kinds []convert.PlannedKind
	for _, set := range p.sets {
		kinds = append(kinds, set.Kinds()...)
	}
	for _, more := range p.unplanned {
		kinds = append(kinds, more...)
	}
	var out []string
	for _, k := range kinds {
		for _, v := range k.Versions {
			out = append(out, v.Name)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// kind returns a kind of a group.
func (p *Plans) kind(group, name string) (convert.PlannedKind, bool) {
	set := p.sets[group]
	if set == nil {
		return convert.PlannedKind{}, false
	}
	for _, k := range set.Kinds() {
		if k.Kind == name {
			return k, true
		}
	}
	return convert.PlannedKind{}, false
}

// lacking returns a kind that has no plans.
func (p *Plans) lacking(group, name string) (convert.PlannedKind, bool) {
	i := slices.IndexFunc(p.unplanned[group], func(k convert.PlannedKind) bool { return k.Kind == name })
	if i < 0 {
		return convert.PlannedKind{}, false
	}
	return p.unplanned[group][i], true
}

// routes returns the conversions of a kind to another version and back. They are nil if
// hand-written steps take part, and no program has these steps.
func (p *Plans) routes(of Target, to string, programs *Programs) (there, back *route) {
	p.lock.Lock()
	defer p.lock.Unlock()
	there, back = p.route(of, to, programs), p.route(Target{of.Group, to, of.Kind}, of.Version, programs)
	if there == nil || back == nil {
		return nil, nil
	}
	return there, back
}

func (p *Plans) route(of Target, to string, programs *Programs) *route {
	key := [4]string{of.Group, of.Kind, of.Version, to}
	w, known := p.converters[key]
	if !known {
		set := p.sets[of.Group]
		if c := set.Converter(of.Kind, of.Version, to); c != nil {
			w = planned(c)
		} else if program := programs.of(of.Group); program != nil {
			w = program.route(set.Tracer(of.Kind, of.Version, to), of, to)
		}
		p.converters[key] = w
	}
	return w
}

func versionOf(k convert.PlannedKind, name string) (convert.PlannedVersion, bool) {
	for _, v := range k.Versions {
		if v.Name == name {
			return v, true
		}
	}
	return convert.PlannedVersion{}, false
}

func namesOf(k convert.PlannedKind) string {
	var names []string
	for _, v := range k.Versions {
		names = append(names, v.Name)
	}
	return strings.Join(names, ", ")
}
