package planfile

import (
	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/operation"
	"github.com/stratakube/strata/generator/internal/plan"
)

// change is a [plan.JSONChange].
type change struct {
	Step  int       `json:"step,omitempty"`
	Moves bool      `json:"moves,omitempty"`
	ID    string    `json:"id"`
	Far   end       `json:"far"`
	Near  end       `json:"near"`
	To    converted `json:"to"`
	From  converted `json:"from"`
}

type end struct {
	Path    []string `json:"path"`
	Objects []string `json:"objects,omitempty"`
	Key     string   `json:"key"`
	Within  []string `json:"within,omitempty"`
}

// converted is an operation by which a value converts.
type converted struct {
	Kind  string   `json:"kind"`
	Text  string   `json:"text,omitempty"`
	By    int64    `json:"by,omitempty"`
	Over  int64    `json:"over,omitempty"`
	Pairs []string `json:"pairs,omitempty"`
}

func changeOf(c plan.JSONChange) change {
	d, ends := c.Derived, c.Derived.Ends()
	return change{
		Step: c.Step, Moves: d.Moved != nil, ID: c.Of.ChangeID(d), Far: end(ends.Far), Near: end(ends.Near),
		To: convertedBy(*d.Operation, d.Near), From: convertedBy(d.Operation.Inverse(), d.Far),
	}
}

// convertedBy describes an operation whose result is the property of a field.
func convertedBy(o operation.Operation, dst *plan.Field) converted {
	switch o.Kind {
	case operation.WrappedIn:
		return converted{Kind: "wrap", Text: chain.StoredName(o.Text)}
	case operation.UnwrappedFrom:
		return converted{Kind: "unwrap", Text: chain.StoredName(o.Text)}
	case operation.KeyedBy:
		return converted{Kind: "key", Text: chain.StoredName(o.Text)}
	case operation.ListedBy:
		return converted{Kind: "list", Text: chain.StoredName(o.Text)}
	case operation.Split:
		return converted{Kind: "split", Text: o.Text}
	case operation.Join:
		return converted{Kind: "join", Text: o.Text}
	case operation.Factor:
		kind := "scale"
		if dst.Type.Kind == model.Int {
			kind = "scaleWhole"
		}
		return converted{Kind: kind, By: o.By, Over: o.Over}
	case operation.Singular:
		return converted{Kind: "singular"}
	case operation.MovedTo:
		return converted{Kind: "unchanged"}
	case operation.Values:
		return converted{Kind: "rename", Pairs: o.Renames()}
	default:
		return converted{Kind: "plural"}
	}
}
