package aso

import (
	"strings"
	"sync"
	"unicode"

	"github.com/stratakube/strata/runtime/internal/shape"
)

// foldedFields stores the fields of shapes by their folded names. A name that several fields have
// is there with nil.
var foldedFields sync.Map // *shape.Shape -> map[string]*shape.Field

// fieldLike returns the only field whose name differs from name at most in letter case; nil if
// there is none, or several.
func fieldLike(s *shape.Shape, name string) *shape.Field {
	known, ok := foldedFields.Load(s)
	if !ok {
		known, _ = foldedFields.LoadOrStore(s, foldFields(s))
	}
	return known.(map[string]*shape.Field)[fold(name)]
}

func foldFields(s *shape.Shape) map[string]*shape.Field {
	fields := make(map[string]*shape.Field, len(s.Fields))
	for i := range s.Fields {
		name := fold(s.Fields[i].Name)
		if _, again := fields[name]; again {
			fields[name] = nil
		} else {
			fields[name] = &s.Fields[i]
		}
	}
	return fields
}

// fold returns a text that is the same for all texts that [strings.EqualFold] considers equal. It
// replaces each character by the least one that differs from it only in case.
func fold(text string) string {
	return strings.Map(func(r rune) rune {
		least := r
		for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
			least = min(least, other)
		}
		return least
	}, text)
}
