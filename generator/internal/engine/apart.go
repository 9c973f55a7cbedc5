package engine

import "github.com/stratakube/strata/generator/internal/diag"

// warnOfApart warns of properties of previews that stay apart from a rename or a declared change
// from this run on, because the previews were generated before. The ledger has them after the run,
// so that a skipped run does not repeat the warnings.
func (ch Chain) warnOfApart() {
	for _, g := range ch.chain.Groups {
		for _, r := range g.Resources {
			if !ch.scope.hasType(r.Model.Type) {
				continue
			}
			for _, a := range r.Apart() {
				leaf, next := a.Leaf.Model.Name, a.Next.Model.Name
				ch.Messages.Add(diag.Warnf(ch.at(a.Property.Pos), "%s of %s in %s is not that of %s, to which %s leads: clients of the other versions do not see its values",
					a.Property.Name, a.Def.Name, leaf, next, a.Before).
					WithHint("before you release this, generate into an empty %s if no object is stored as %s; else remove what leads from %s to %s from the configuration, and restore %s",
						ch.config.Output.Dir, leaf, a.Before, a.Property.Name, ch.config.Output.Dir))
			}
		}
	}
}
