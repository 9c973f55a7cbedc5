package crd

import (
	"math/big"
	"regexp"
	"strconv"

	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/stratakube/strata/generator/internal/model"
)

// kinds are the schemas of scalars.
var kinds = [...]props{
	model.String: {Type: "string"},
	model.Int:    {Type: "integer", Format: "int64"},
	model.Number: {Type: "number", Format: "double"},
	model.Bool:   {Type: "boolean"},
}

// formats are the formats that an API server checks with the sources' meaning. It checks others
// differently: its duration is 1h5m, that of the sources PT1H5M.
var formats = map[string]bool{
	"date-time": true, "date": true, "uuid": true, "byte": true, "password": true,
	"ipv4": true, "ipv6": true, "cidr": true, "mac": true, "hostname": true, "email": true,
}

func (w *walk) scalar(t *model.Scalar) props {
	out := kinds[t.Kind]
	l := t.Limits
	if w.native {
		return w.nativeScalar(t)
	}
	if l == nil || w.status {
		return out
	}
	if t.Kind == model.String {
		w.stringLimits(&out, l)
		return out
	}
	out.Minimum, out.ExclusiveMinimum = bound(l.Minimum), l.ExclusiveMin
	out.Maximum, out.ExclusiveMaximum = bound(l.Maximum), l.ExclusiveMax
	out.ExclusiveMinimum = out.ExclusiveMinimum && out.Minimum != nil
	out.ExclusiveMaximum = out.ExclusiveMaximum && out.Maximum != nil
	if m := bound(l.MultipleOf); m != nil && t.Kind == model.Int && *m >= 1 {
		out.MultipleOf = m
	}
	return out
}

func (w *walk) stringLimits(out *props, l *model.Limits) {
	if formats[l.Format] {
		out.Format = l.Format
	}
	out.MinLength, out.MaxLength = count(l.MinLength), count(l.MaxLength)
	if l.Pattern == "" {
		return
	}
	if _, err := regexp.Compile(l.Pattern); err != nil {
		w.leave("pattern "+strconv.Quote(l.Pattern), "RE2 does not know it")
		return
	}
	out.Pattern = l.Pattern
}

func listLimits(out *props, l *model.Limits) {
	if l != nil {
		out.MinItems, out.MaxItems = count(l.MinItems), count(l.MaxItems)
	}
}

// bound returns a limit of numbers. It returns nil for an integer that no float64 represents,
// since the limit would change.
func bound(text string) *float64 {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil
	}
	exact, ok := new(big.Rat).SetString(text)
	if !ok || exact.IsInt() && exact.Cmp(new(big.Rat).SetFloat64(f)) != 0 {
		return nil
	}
	return &f
}

func count(text string) *int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return nil
	}
	return &n
}

// enum returns the schema of an enum. Open enums and those of a status allow all values: the
// cluster must not refuse a response of the external API.
func (w *walk) enum(t *model.Enum) props {
	out := kinds[t.Base]
	if w.native {
		out.Format = ""
	}
	if w.lax() || t.Open {
		return out
	}
	for _, v := range t.Values {
		out.Enum = append(out.Enum, v1.JSON{Raw: []byte(v)})
	}
	w.setFacts(&out, t.Facts, nil)
	return out
}

// nativeScalar returns the schema of a scalar with all statements of the source.
func (w *walk) nativeScalar(t *model.Scalar) props {
	out := props{Type: kinds[t.Kind].Type}
	if l := t.Limits; l != nil {
		out.Format, out.Pattern = l.Format, l.Pattern
		out.MinLength, out.MaxLength = count(l.MinLength), count(l.MaxLength)
		out.Minimum, out.ExclusiveMinimum = float(l.Minimum), l.ExclusiveMin
		out.Maximum, out.ExclusiveMaximum = float(l.Maximum), l.ExclusiveMax
	}
	w.setFacts(&out, t.Facts, nil)
	return out
}

// float returns a number in the form of CRDs; nil for a text that is not a number.
func float(text string) *float64 {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil
	}
	return &f
}
