package chain

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/plaintext"
)

// refuse reports the remaining properties that differ in letter case alone from the names of
// candidates in the nearest version, if either are several. A choice could be wrong, and the ledger
// would contain it for ever. Metadata decides.
func (m *matcher) refuse(candidates []candidate) {
	if len(m.rest) == 0 {
		return
	}
	by := map[string][]candidate{}
	for _, c := range candidates {
		key := folded(c.name)
		isNearest := len(by[key]) == 0 || by[key][0].version == c.version
		if isNearest && m.offered(c.lineage) {
			by[key] = append(by[key], c)
		}
	}
	here := map[string][]*model.Property{}
	for _, q := range m.rest {
		key := folded(q.Name)
		if slices.ContainsFunc(by[key], func(c candidate) bool { return !m.divided(q, c.lineage) }) {
			here[key] = append(here[key], q)
		}
	}
	for _, q := range m.rest {
		key := folded(q.Name)
		if isSeveral := len(here[key])+len(by[key]) > 2; isSeveral && len(here[key]) > 0 && here[key][0] == q {
			m.refuseNames(here[key], by[key])
		}
	}
}

// refuseNames reports that properties of the matched version and candidates of another one differ
// in letter case alone. The hint has lines for the earlier of the two versions, and for a leaf.
func (m *matcher) refuseNames(here []*model.Property, there []candidate) {
	r := m.place.Resource
	first := there[0]
	at, neighbour := r.Versions[m.version], r.Versions[first.version]
	from, to, name, later := neighbour, at, first.name, here[0].Name
	if at.Index < neighbour.Index {
		from, to, name, later = at, neighbour, later, name
	}
	rule := "nameInNextVersion: " + plaintext.YAML(later)
	if r.NextMain(from) != to {
		rule = fmt.Sprintf("renamedTo: {version: %s, name: %s}", strconv.Quote(to.Model.Name), plaintext.YAML(later))
	}
	var names, others []string
	for _, q := range here {
		names = append(names, q.Name)
	}
	for _, c := range there {
		others = append(others, c.name)
	}
	alone, unlike := from, name
	if at.Leaf {
		alone, unlike = at, here[0].Name
	}
	m.placer.linker.problem(here[0].Pos, fmt.Sprintf("state which, such as `%s: {%s}` below %s; or, if none is, add `%s: {conversion: none}` for each name below %s",
		plaintext.YAML(name), rule, m.metadataOf(from), plaintext.YAML(unlike), m.metadataOf(alone)),
		"%s: %s of %s and %s of %s differ in letter case alone: any of them could be the same property",
		r.Model.Type, strings.Join(others, ", "), neighbour.Model.Name, strings.Join(names, ", "), at.Model.Name)
}

// metadataOf returns the path in strata.yaml of the metadata of the place's object in a version.
func (m *matcher) metadataOf(v *Version) string {
	names := m.place.Names(v.Index)
	return fmt.Sprintf("resources.%s[%q].%s", m.place.Resource.Group.Folder, v.Model.Name, names[len(names)-1])
}
