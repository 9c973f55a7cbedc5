package conversion

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/stratakube/strata/runtime/convert"
)

// route converts the objects of a kind from one version to another.
type route struct {
	// trace returns where a value is afterwards.
	trace func(path []string) convert.Traced
	// convert converts an object.
	convert func(ctx context.Context, object *tree) (*tree, error)
	// program is the name of the program that converts; empty for plans.
	program string
}

func (w *route) isProgram() bool { return w.program != "" }

// planned returns the route of a plan.
func planned(c *convert.Converter) *route {
	return &route{trace: c.Trace, convert: func(ctx context.Context, object *tree) (*tree, error) {
		out, why := c.Append(ctx, nil, []byte(object.JSON()))
		if why != convert.Converted {
			return nil, errors.New(refusals(why))
		}
		return parsed(string(out))
	}}
}

// guessed traces the values of a conversion with hand-written steps, which may read and write any
// property. Without a tracer, values have the same path in both versions. A value without a place
// may be one that a step converts: only the conversion shows that it is lost.
func guessed(t *convert.Tracer) func(path []string) convert.Traced {
	if t == nil {
		return func(path []string) convert.Traced { return convert.Traced{Path: path} }
	}
	return func(path []string) convert.Traced {
		to := t.Trace(path)
		if to.Outcome == convert.Unknown {
			to.Outcome = convert.Hid
		}
		return to
	}
}

// pair finds origins for the members that hand-written steps made: values of the same object that
// have no place of their own. Equal values belong together, and the others in their order. So their
// comments and places stay.
func (j *job) pair(source, result *tree) {
	places := map[string][]string{"": nil}
	for to, from := range j.origins {
		places[key(from)] = strings.Split(to, "\x00")
	}
	isEqual := func(from, to []string) bool { return source.at(from...).isEqual(result.at(to...)) }
	isAny := func(_, _ []string) bool { return true }
	for _, fits := range []func(from, to []string) bool{isEqual, isAny} {
		j.hidden = slices.DeleteFunc(j.hidden, func(from []string) bool {
			place, known := places[key(from[:len(from)-1])]
			in := result.at(place...)
			if !known || in == nil {
				return false
			}
			for _, m := range in.members {
				to := with(place, m.name)
				if _, has := j.origins[key(to)]; !has && fits(from, to) && !slices.Contains([]string{"apiVersion", "kind", "metadata", "status"}, to[0]) {
					j.origins[key(to)] = from
					return true
				}
			}
			return false
		})
	}
}
