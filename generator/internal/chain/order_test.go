package chain

import (
	"slices"
	"strings"
	"testing"

	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/version"
)

func TestLabel(t *testing.T) {
	for _, c := range []struct{ reason, name, want string }{
		{"a date", "2014-04-04", "v20140404"},
		{"a preview", "2014-04-04-preview", "v20140404preview"},
		{"any suffix is a preview, in letters and digits", "2015-01-01-Private.Preview2", "v20150101privatepreview2"},
		{"a label of Kubernetes is kept", "v1beta1", "v1beta1"},
		{"a number", "1.0", "v1x0"},
		{"a number with a suffix", "6.2-preview", "v6x2preview"},
		{"no version", "latest", ""},
		{"no version either", "v1gamma1", ""},
	} {
		if got, ok := Label(c.name); got != c.want || ok != (c.want != "") {
			t.Errorf("%s: the label of %q is %q, %v; want %q", c.reason, c.name, got, ok, c.want)
		}
	}
}

// TestLine checks order, hub, leaves and neighbours: each version with its next one.
func TestLine(t *testing.T) {
	for _, c := range []struct{ reason, versions, want string }{
		{"stable versions follow each other", "2020-01-01 2019-01-01 2021-01-01", "2019-01-01>2020-01-01 2020-01-01>2021-01-01 2021-01-01"},
		{"a later preview is a leaf on the stable before it", "2019-01-01 2019-06-01-preview 2020-01-01", "2019-01-01>2020-01-01 2019-06-01-preview>2019-01-01 2020-01-01"},
		{"leading previews are on the main line", "2018-01-01-preview 2018-06-01-preview 2019-01-01", "2018-01-01-preview>2018-06-01-preview 2018-06-01-preview>2019-01-01 2019-01-01"},
		{"a preview stands before the stable of its date", "2019-01-01 2019-01-01-preview", "2019-01-01-preview>2019-01-01 2019-01-01"},
		{"a preview after the hub hangs on the hub", "2019-01-01 2020-01-01-preview", "2019-01-01 2020-01-01-preview>2019-01-01"},
		{"with only previews the latest is the hub", "2018-01-01-preview 2018-06-01-preview", "2018-01-01-preview>2018-06-01-preview 2018-06-01-preview"},
		{"labels of Kubernetes go by generation", "v1 v1beta1 v2alpha1 v1alpha1 v2", "v1alpha1>v1beta1 v1beta1>v1 v1>v2 v2alpha1>v1 v2"},
		{"minors are numbers", "v1beta10 v1beta9 v1", "v1beta9>v1beta10 v1beta10>v1 v1"},
		{"numbers stand before dates", "2014-01-01 1.0 7.0", "1.0>7.0 7.0>2014-01-01 2014-01-01"},
	} {
		if got := order(c.versions); got != c.want {
			t.Errorf("%s: got %s, want %s", c.reason, got, c.want)
		}
	}
}

// TestAddingMovesNoStep checks that adding a version at the end does not change the target of a
// step.
func TestAddingMovesNoStep(t *testing.T) {
	all := strings.Fields("2018-01-01-preview 2019-01-01 2019-06-01-preview 2020-01-01 2020-06-01-preview 2020-07-01-preview 2021-01-01")
	known := map[string]string{}
	for n := range all {
		for step := range strings.FieldsSeq(order(strings.Join(all[:n+1], " "))) {
			far, near, has := strings.Cut(step, ">")
			if before := known[far]; before != "" && before != near {
				t.Errorf("with %s, the step of %s goes to %s, no longer to %s", all[n], far, near, before)
			}
			if has {
				known[far] = near
			}
		}
	}
}

// TestLineOfChosenHub checks that a hub is chosen by its name or its label, on the main line
// only.
func TestLineOfChosenHub(t *testing.T) {
	const versions = "2018-01-01-preview 2019-01-01 2019-06-01-preview 2020-01-01"
	const middle = "2018-01-01-preview>2019-01-01 2019-01-01 2019-06-01-preview>2019-01-01 2020-01-01>2019-01-01"
	const last = "2018-01-01-preview>2019-01-01 2019-01-01>2020-01-01 2019-06-01-preview>2019-01-01 2020-01-01"
	for _, c := range []struct{ reason, chosen, want string }{
		{"by its name", "2019-01-01", middle},
		{"by its label", "v20190101", middle},
		{"none", "", last},
		{"the last", "v20200101", last},
		{"a leaf is as none", "2019-06-01-preview", last},
		{"one that is not there is as none", "2017-01-01", last},
	} {
		if got := orderWith(versions, c.chosen); got != c.want {
			t.Errorf("%s: got %s, want %s", c.reason, got, c.want)
		}
	}
}

func order(versions string) string { return orderWith(versions, "") }

func orderWith(versions, chosen string) string {
	var all []*Version
	for name := range strings.FieldsSeq(versions) {
		v, _ := version.Parse(name)
		all = append(all, &Version{Model: &model.Version{Name: name}, Label: v.Label(), name: v})
	}
	line(all, chosen)
	var out []string
	for _, v := range all {
		s := v.Model.Name
		if v.Next != nil {
			s += ">" + v.Next.Model.Name
		}
		out = append(out, s)
	}
	return strings.Join(slices.Clone(out), " ")
}
