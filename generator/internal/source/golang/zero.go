package golang

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/source"
)

// undefined is a required field that a version adds without a default.
type undefined struct {
	derived
	of    model.Type
	added *addition
}

// fillUndefined gives objects of earlier versions the value of a required field that has no
// default: the one of kubebuilder's marker, or the zero value of its type. It reports fields that
// have no such value, and those that stay absent.
//
// It runs when all definitions are complete, since zero values of structs have their required
// members. CRDs require no member of free, so that all of its members may be absent.
func (s *shaper) fillUndefined(free *model.Def) {
	for _, x := range s.undefined {
		if x.def == free {
			continue
		}
		value, reason := zero{}.of(x.of)
		switch {
		case x.added.isEmpty:
			s.once(x, diag.Warnf(s.at(x.added.markerUse.at("default")), "objects of earlier versions have no %s, which is required: they are invalid until a client writes it", x.property))
		case reason != "":
			s.once(x, diag.Errorf(s.at(x.added.markerUse.pos), "%s is required, and has no default: %s", x.history.name, reason).
				WithHint("name a function with `default=...`, make the field optional, or write `default=none` if earlier objects may be invalid"))
		default:
			x.function = source.Function{Fill: &source.Call{Value: value}}
			s.derived = append(s.derived, x.derived)
		}
	}
	s.undefined = nil
}

// freeStatus returns the definition of a status subresource; nil for none. A status may have
// nothing but the bag of hidden values.
func freeStatus(v *model.Version) *model.Def {
	status, ok := v.Status.(*model.Ref)
	spec, isRef := v.Spec.(*model.Ref)
	if !ok || v.Facts.Get(model.StatusSubresource) == "" || isRef && spec.Def == status.Def {
		return nil
	}
	return status.Def
}

// once reports a message for a field, even if several resources have it.
func (s *shaper) once(x undefined, m diag.Message) {
	if !x.added.isReported {
		x.added.isReported = true
		s.reported.Add(m)
	}
}

// zero computes zero values. It has the definitions that contain the present one.
type zero []*model.Def

// of returns the zero value of a type as JSON, or the reason that there is none.
func (z zero) of(t model.Type) (value, reason string) {
	if value := model.FactsOf(t).Get("default"); value != "" {
		return value, ""
	}
	switch t := t.(type) {
	case *model.Scalar:
		return zeroScalar(t)
	case *model.Enum:
		value := zeroScalars[t.Base]
		if !slices.Contains(t.Values, value) {
			return "", "the zero value " + value + " is not in its enum"
		}
		return value, ruled(t.Facts)
	case *model.List:
		if t.Limits != nil && t.Limits.MinItems != "" && t.Limits.MinItems != "0" {
			return "", "an empty list has fewer elements than its minimum"
		}
		return "[]", ruled(t.Facts)
	case *model.Map:
		return "{}", ruled(t.Facts)
	case *model.Ref:
		return z.object(t.Def)
	case *model.Any:
		return zeroAny(t)
	}
	return "", "its type has no zero value in JSON"
}

var zeroScalars = map[model.Kind]string{model.String: `""`, model.Int: "0", model.Number: "0", model.Bool: "false"}

func zeroScalar(t *model.Scalar) (value, reason string) {
	value = zeroScalars[t.Kind]
	if t.Limits != nil {
		reason = excludesZero(t.Kind, *t.Limits)
	}
	if reason != "" {
		return "", "the zero value " + value + " " + reason
	}
	return value, ruled(t.Facts)
}

// plainFormats are the formats of strings that the empty string has.
var plainFormats = []string{"", "byte", "password"}

// excludesZero returns how limits exclude the zero value of a scalar; empty if they do not.
func excludesZero(kind model.Kind, l model.Limits) string {
	if kind != model.String {
		low, high := bound(l.Minimum), bound(l.Maximum)
		if low != nil && (*low > 0 || *low == 0 && l.ExclusiveMin) || high != nil && (*high < 0 || *high == 0 && l.ExclusiveMax) {
			return "is out of its bounds"
		}
		return ""
	}
	switch matches, err := regexp.MatchString(l.Pattern, ""); {
	case l.MinLength != "" && l.MinLength != "0":
		return "is shorter than its minimum"
	case l.Pattern != "" && (err != nil || !matches):
		return "does not match its pattern"
	case !slices.Contains(plainFormats, l.Format):
		return "is not of the format " + l.Format
	}
	return ""
}

func bound(text string) *float64 {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil
	}
	return &n
}

// ruled returns that rules apply to a value, which only the API server evaluates; empty if there
// are none.
func ruled(facts model.Facts) string {
	for _, name := range []string{"x-kubernetes-validations", "minProperties", "oneOf", "anyOf", "allOf", "not"} {
		if facts.Get(name) != "" {
			return "whether its zero value is valid depends on " + name
		}
	}
	return ""
}

// object returns the zero value of a struct: its required members have their own.
func (z zero) object(d *model.Def) (value, reason string) {
	o := d.Object()
	if o == nil || slices.Contains(z, d) {
		return "", "it has no zero value"
	}
	if reason := ruled(o.Facts); reason != "" {
		return "", reason
	}
	var members []string
	for _, p := range o.Properties {
		if !p.Required {
			continue
		}
		value, reason := append(slices.Clip(z), d).of(p.Type)
		if reason != "" {
			return "", "its member " + p.Name + " has none, since " + reason
		}
		members = append(members, jsonText(p.Name)+":"+value)
	}
	return "{" + strings.Join(members, ",") + "}", ""
}

// zeroAny returns the zero value of free JSON, if its facts determine one.
func zeroAny(t *model.Any) (value, reason string) {
	switch {
	case t.Facts.Get("x-kubernetes-int-or-string") != "" && t.Facts.Get("pattern") != "":
		return `"0"`, "" // a quantity
	case t.Facts.Get("x-kubernetes-int-or-string") != "":
		return "0", ""
	case t.Facts.Get("type") == `"object"`:
		return "{}", ruled(t.Facts)
	}
	return "", "its type has no zero value in JSON"
}
