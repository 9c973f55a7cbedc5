package history

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

var dated = regexp.MustCompile(`^(\d{4}-\d{2}-\d{2}|v\d{8})$`) // the second as CRDs of the worked example name versions

// IsPreview reports whether a source's version is a preview.
func IsPreview(version string) bool { return !dated.MatchString(version) }

// Order compares two source's versions by date, a preview before the stable version of its date.
func Order(a, b string) int {
	const date = len("2006-01-02")
	if a[:date] != b[:date] || IsPreview(a) && IsPreview(b) {
		return strings.Compare(a, b)
	}
	return cmp.Compare(len(b), len(a))
}

// Histories returns all histories of a type with these versions, which are in order.
func Histories(versions []string, renames []Rename) []History {
	all := []History{arrivals(versions), late(versions), overtaken(versions), previews(versions),
		pruned(versions), gone(versions), chosen(versions), renamed(versions, renames)}
	return slices.DeleteFunc(all, func(h History) bool { return len(h.Stages) < 2 })
}

// arrivals lets versions arrive one by one.
func arrivals(versions []string) History {
	h := History{Name: "arrivals"}
	for i, version := range versions {
		h.Stages = append(h.Stages, Stage{Because: version + " has arrived", Versions: versions[:i+1]})
	}
	return h.numbered()
}

// late lets a version from the middle arrive after all later ones, and then the first.
func late(versions []string) History {
	h := History{Name: "late"}
	if len(versions) < 3 {
		return h
	}
	first, middle := versions[0], versions[len(versions)/2]
	h.Stages = []Stage{
		{Because: "most versions are there", Versions: without(versions, first, middle)},
		{Because: middle + ", from the middle, has arrived late", Versions: without(versions, first)},
		{Because: first + ", the first, has arrived late", Versions: versions},
	}
	return h.numbered()
}

// overtaken lets the last stable version that a preview follows arrive after that preview, which so
// moves.
func overtaken(versions []string) History {
	h := History{Name: "overtaken"}
	for i := len(versions) - 1; i > 1; i-- {
		stable, preview := versions[i-1], versions[i]
		if IsPreview(stable) || !IsPreview(preview) {
			continue
		}
		h.Stages = []Stage{
			{Because: preview + " is there", Versions: without(versions[:i+1], stable)},
			{Because: stable + " has arrived after the preview that follows it", Versions: versions[:i+1]},
		}
		if i+1 < len(versions) {
			h.Stages = append(h.Stages, Stage{Because: "later versions have arrived", Versions: versions})
		}
		break
	}
	return h.numbered()
}

// previews begins with previews alone: those before the first stable version or, where there are
// none, all.
func previews(versions []string) History {
	h := History{Name: "previews"}
	stable := slices.IndexFunc(versions, func(version string) bool { return !IsPreview(version) })
	if stable < 0 {
		return h
	}
	some := versions[:stable]
	if len(some) == 0 {
		some = slices.DeleteFunc(slices.Clone(versions), func(version string) bool { return !IsPreview(version) })
	}
	if len(some) == 0 {
		return h
	}
	h.Stages = []Stage{
		{Because: "there are only previews", Versions: some},
		{Because: versions[stable] + ", the first stable version, has arrived", Versions: append(slices.Clone(some), versions[stable])},
		{Because: "all other versions have arrived", Versions: versions},
	}
	return h.numbered()
}

// pruned prunes the first version.
func pruned(versions []string) History {
	h := History{Name: "pruned"}
	if len(versions) < 2 {
		return h
	}
	h.Stages = []Stage{
		{Because: "all versions are there", Versions: versions},
		{Because: versions[0] + " is pruned", Versions: versions, Pruned: versions[:1]},
	}
	return h.numbered()
}

// gone lets schema files vanish: the first, one from the middle, and the last. Then every text is
// called a secret.
func gone(versions []string) History {
	h := History{Name: "gone", Stages: []Stage{{Because: "all versions are there", Versions: versions}}}
	var away []string
	for _, i := range []int{len(versions) / 2, 0, len(versions) - 1} {
		if version := versions[i]; !slices.Contains(away, version) {
			away = append(away, version)
			h.Stages = append(h.Stages, Stage{Because: "the schema of " + version + " is gone", Versions: versions, Gone: slices.Clone(away)})
		}
	}
	h.Stages = append(h.Stages, Stage{Because: "every text is a secret", Versions: versions, Gone: away, Secrets: "*"})
	return h.numbered()
}

// chosen lets an earlier version be the hub, then the latest again, and then the first of the
// stable ones.
func chosen(versions []string) History {
	h := History{Name: "chosen"}
	stable := slices.DeleteFunc(slices.Clone(versions), IsPreview)
	if len(stable) < 2 {
		return h
	}
	middle, first := stable[(len(stable)-1)/2], stable[0]
	h.Stages = []Stage{
		{Because: "the latest stable version is the hub", Versions: versions},
		{Because: middle + " was chosen as the hub", Versions: versions, Hub: middle},
		{Because: "the latest stable version is the hub again", Versions: versions},
		{Because: first + " was chosen as the hub", Versions: versions, Hub: first},
	}
	return h.numbered()
}

// Hubs lets each stable version be the hub: the latest, the others in order and back, and the
// latest again. So each hub follows each other one.
func Hubs(versions []string) History {
	stable := slices.DeleteFunc(slices.Clone(versions), IsPreview)
	latest := Stage{Because: "the latest stable version is the hub", Versions: versions}
	h := History{Name: "hubs", Stages: []Stage{latest}}
	others := stable[:len(stable)-1]
	for i := range 2*len(others) - 1 {
		hub := others[min(i, 2*len(others)-2-i)]
		h.Stages = append(h.Stages, Stage{Because: hub + " was chosen as the hub", Versions: versions, Hub: hub})
	}
	h.Stages = append(h.Stages, latest)
	return h.numbered()
}

// renamed assesses removals as renames after objects were stored. A version that has nothing to do
// with them arrives afterwards.
func renamed(versions []string, renames []Rename) History {
	h := History{Name: "renamed"}
	if len(renames) == 0 {
		return h
	}
	some, later := apart(versions, renames)
	h.Stages = []Stage{
		{Because: "no rename is known", Versions: some},
		{Because: "renames are assessed", Versions: some, Renames: renames},
	}
	if later != "" {
		h.Stages = append(h.Stages, Stage{Because: later + " has arrived", Versions: versions, Renames: renames})
	}
	return h.numbered()
}

// apart returns the versions without one that no rename leads from or to, and that one.
func apart(versions []string, renames []Rename) (some []string, later string) {
	for _, i := range []int{len(versions) - 1, 0, len(versions) / 2} {
		around := versions[max(0, i-1) : i+1]
		if !slices.ContainsFunc(renames, func(r Rename) bool { return slices.Contains(around, r.Version) }) {
			return without(versions, versions[i]), versions[i]
		}
	}
	return versions, ""
}

// Observed are the histories of a type that Bicep types describe in some versions: they are added
// after objects were stored, of all these versions or of every other one, and in the end they are
// gone.
func Observed(versions, typed []string, renames []Rename) []History {
	if len(typed) == 0 {
		return nil
	}
	var some []string
	for i := len(typed) - 1; i >= 0; i -= 2 {
		some = append(some, typed[i])
	}
	return []History{observed("observed", versions, typed, renames), observed("partly", versions, some, renames)}
}

func observed(name string, versions, typed []string, renames []Rename) History {
	return History{Name: name, Stages: []Stage{
		{Because: "the status mirrors the spec", Versions: versions, Renames: renames},
		{Because: strings.Join(typed, ", ") + " have a status of their own", Versions: versions, Observed: typed, Gains: true, Renames: renames},
		{Because: "what told of the status is gone", Versions: versions, Gains: true, Renames: renames},
	}}.numbered()
}

// Augmented adds hand-written files after objects were stored; the last version arrives afterwards.
// The files derive the values of properties of these names from one another.
func Augmented(versions []string, files map[string]string, derived []string) History {
	last := len(versions) - 1
	h := History{Name: "augmented", Stages: []Stage{
		{Because: "nothing is written by hand", Versions: versions[:last]},
		{Because: "steps are written by hand", Versions: versions[:last], Written: files, Derived: derived},
		{Because: versions[last] + " has arrived", Versions: versions, Written: files, Derived: derived},
	}}
	return h.numbered()
}

// numbered names the stages by their numbers.
func (h History) numbered() History {
	for i := range h.Stages {
		h.Stages[i].Name = fmt.Sprintf("s%02d", i+1)
	}
	return h
}

func without(versions []string, left ...string) []string {
	return slices.DeleteFunc(slices.Clone(versions), func(version string) bool { return slices.Contains(left, version) })
}
