package versions

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
)

// Table prints a kind as text.
func (k *Kind) Table(w io.Writer) {
	where := ""
	if k.Namespace != "" {
		where = " in " + k.Namespace
	}
	fmt.Fprintf(w, "%s.%s: %s%s, stored in %s\n", k.Resource, k.Group, objects(k.Objects), where, strings.Join(k.StoredVersions, ", "))
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "VERSION\tSERVED\tROLE\tORIGINAL OF")
	for _, v := range k.Versions {
		served := "no"
		if v.Served {
			served = "yes"
		}
		if v.Deprecated {
			served += ", deprecated"
		}
		count := "-"
		if v.Role == api || v.Role == hub {
			count = objects(v.Originals)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", v.Name, served, v.Role, count)
	}
	for _, name := range slices.Sorted(maps.Keys(k.Unknown)) {
		fmt.Fprintf(t, "%s\tno\tunknown\t%s\n", name, objects(k.Unknown[name]))
	}
	_ = t.Flush() // the writer's own error is returned to the caller
}

func objects(n int) string {
	if n == 1 {
		return "1 object"
	}
	return fmt.Sprintf("%d objects", n)
}

// Table prints an object as text.
func (o *Object) Table(w io.Writer) {
	name := o.Name
	if o.Namespace != "" {
		name = o.Namespace + "/" + o.Name
	}
	known := ""
	if !o.Known {
		known = ", which the CRD does not have"
	}
	fmt.Fprintf(w, "%s %s: original version %s%s, stored in %s\n", o.Kind, name, o.Original, known, o.Hub)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "VERSION\tHIDES\tAT\tKEY\tBYTES")
	for _, v := range o.Versions {
		switch {
		case v.Error != "":
			fmt.Fprintf(t, "%s\tcannot be read: %s\t\t\t\n", v.Version, v.Error)
		case v.Bytes == 0:
			fmt.Fprintf(t, "%s\tnothing\t\t\t\n", v.Version)
		case len(v.Hidden) == 0:
			fmt.Fprintf(t, "%s\tno value\t\t\t%d\n", v.Version, v.Bytes)
		default:
			fmt.Fprintf(t, "%s\t%s\t\t\t%d\n", v.Version, values(len(v.Hidden)), v.Bytes)
		}
		for _, h := range v.Hidden {
			fmt.Fprintf(t, "\t\t%s\t%s\t%d\n", h.Path, h.Key, h.Bytes)
		}
	}
	_ = t.Flush()
}

func values(n int) string {
	if n == 1 {
		return "1 value"
	}
	return fmt.Sprintf("%d values", n)
}
