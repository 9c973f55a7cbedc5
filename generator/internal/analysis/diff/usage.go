package diff

import (
	"strings"

	"github.com/stratakube/strata/generator/internal/chain"
)

// Usage is how many objects of a cluster set the property of a change.
type Usage struct {
	Version string `json:"version"` // through which the objects were read
	Objects int    `json:"objects"`
	Uses    int    `json:"uses"`
}

// identity names what a comparison is about in a cluster.
type identity struct {
	group    string // of the API
	from, to string // names of versions in Kubernetes; empty for a whole resource
}

func identityOf(r *chain.Resource, from, to *chain.Version) identity {
	return identity{group: r.Group.Name, from: from.Label, to: to.Label}
}

// Question asks a cluster for the properties of one kind. strata cluster usage reads a list of
// them.
type Question struct {
	Group    string            `json:"group"`
	Kind     string            `json:"kind"`
	Versions []QuestionVersion `json:"versions"`
}

// QuestionVersion has the paths of all properties in one version, such as spec.members[].name.
type QuestionVersion struct {
	Name  string   `json:"name"`
	Paths []string `json:"paths"`
}

// Answer is what strata cluster usage answers to a question. Version is empty if the cluster serves
// none of the versions.
type Answer struct {
	Version string `json:"version"`
	Objects int    `json:"objects"`
	Uses    []int  `json:"uses"`
}

// Questions returns a question for each comparison that has changes of properties, and the indexes
// of these comparisons. Objects may be read through either version. The earlier one is first,
// because a cluster has it more often.
func Questions(all []Comparison) (questions []Question, of []int) {
	for i, c := range all {
		q := Question{Group: c.id.group, Kind: c.Kind}
		var before, after []string
		for _, one := range c.Changes {
			if one.Path == "" {
				continue
			}
			old, later := one.paths()
			before, after = append(before, inObject(old)), append(after, inObject(later))
		}
		if len(after) == 0 || c.id.group == "" {
			continue
		}
		for _, v := range []QuestionVersion{{c.id.from, before}, {c.id.to, after}} {
			if v.Name != "" && (len(q.Versions) == 0 || q.Versions[0].Name != v.Name) {
				q.Versions = append(q.Versions, v)
			}
		}
		questions, of = append(questions, q), append(of, i)
	}
	return questions, of
}

// paths returns the paths of the property in the earlier and in the later version. They are equal
// where one version lacks it, so that nothing is found there.
func (c Change) paths() (old, later string) {
	switch c.Kind {
	case Renamed:
		return strings.TrimSuffix(c.Path, c.New) + c.Old, c.Path
	case Moved:
		return c.Old, c.Path
	}
	return c.Path, c.Path
}

// inObject returns the path in an object of Kubernetes.
func inObject(path string) string {
	if path == "status" || strings.HasPrefix(path, "status.") {
		return path
	}
	return "spec." + path
}

// Answered gives the changes of properties what a cluster has answered. A question about a version
// in which a property is absent has no meaning: such changes have no usage.
func Answered(all []Comparison, of []int, answers []Answer) {
	for i, answer := range answers {
		c := &all[of[i]]
		at := 0
		for j := range c.Changes {
			one := &c.Changes[j]
			if one.Path == "" {
				continue
			}
			if at < len(answer.Uses) && one.isIn(answer.Version == c.id.from, answer.Version == c.id.to) {
				one.Usage = &Usage{Version: answer.Version, Objects: answer.Objects, Uses: answer.Uses[at]}
			}
			at++
		}
	}
}

// isIn reports whether the property can be seen through the earlier version, or through the later
// one. Within one version, a cluster is taken to have its earlier state.
func (c Change) isIn(old, later bool) bool {
	switch c.Kind {
	case Added, AddedRequired, Opened:
		return later && !old
	case Removed, Closed:
		return old
	}
	return old || later
}
