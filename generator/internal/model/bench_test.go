package model

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// BenchmarkParse reads texts like those of a big API: plain ones, where nearly
// every few bytes are a token, documented ones, and a ledger whose versions have
// most of their definitions in common.
func BenchmarkParse(b *testing.B) {
	plain, documented := bigResource(20, ""), bigResource(20, strings.Repeat("It tells what \"this\" is about. ", 3))
	for name, text := range map[string][]byte{
		"plain":      Print(plain),
		"documented": Print(documented),
		"ledger":     []byte(ledger(documented)),
	} {
		b.Run(name, func(b *testing.B) { benchmarkParse(b, text) })
	}
}

func benchmarkParse(b *testing.B, text []byte) {
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse("bench", text); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(bytes.Count(text, []byte("\n")))*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mlines/s")
}

func bigResource(versions int, doc string) *Resource {
	r := &Resource{Type: "Microsoft.Bench/things", Kind: "Thing", Plural: "things"}
	for i := range versions {
		r.Versions = append(r.Versions, bigVersion(i, doc))
	}
	return r
}

func bigVersion(n int, doc string) *Version {
	v := &Version{Name: fmt.Sprintf("20%02d-01-01", n), Sources: []Source{{"arm", "2019-08-01/Microsoft.Bench.json", "resourceDefinitions"}}}
	for i := range 200 {
		v.Defs = append(v.Defs, &Def{Name: fmt.Sprintf("ThingPropertiesPart%d", i), Doc: doc})
	}
	for i, d := range v.Defs {
		o := &Object{}
		for j := range 12 {
			next := v.Defs[(i*7+j)%len(v.Defs)]
			o.Properties = append(o.Properties, &Property{
				Name: fmt.Sprintf("someProperty%d", (i+j)%100), Doc: doc, Required: j == 0, Type: bigType(j, next),
			})
		}
		if i%10 == 0 {
			o.Properties = o.Properties[:1+n%8]
		}
		d.Type = o
	}
	v.Spec = &Ref{Def: v.Defs[0]}
	return v
}

func bigType(i int, next *Def) Type {
	switch i {
	case 0:
		return &Enum{Values: []string{`"Standard_LRS"`, `"Premium_LRS"`, `"Other"`}}
	case 1:
		return &Scalar{Kind: Int, Limits: &Limits{Minimum: "1", Maximum: "100"}}
	case 2:
		return &Scalar{Limits: &Limits{Pattern: `^[a-z0-9]{3,24}$`, MinLength: "3"}}
	case 3:
		return &Scalar{Kind: Bool}
	case 4, 5:
		return &Ref{Def: next}
	case 6:
		return &List{Elem: &Ref{Def: next}}
	case 7:
		return &Map{Elem: &Scalar{}}
	}
	return &Scalar{}
}
