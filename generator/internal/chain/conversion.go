package chain

import (
	"slices"

	"github.com/stratakube/strata/generator/internal/model"
)

// Mode is the metadata's setting of how a property converts to the next version of the main line;
// Auto where nothing is set.
type Mode uint8

// The modes.
const (
	Auto   Mode = iota
	Custom      // as Auto, but a hand-written step must exist
	None        // the property matches no later property: its value is stored in the bag
)

// Conversion is metadata that sets the Mode of a type in a version, or of one of its properties.
type Conversion struct {
	Folder, Version, Type, Property string
	Mode                            Mode
}

// Mode returns how a property of the place converts.
func (p *Place) Mode(version int, property *model.Property) Mode {
	if len(p.Resource.conversions) == 0 {
		return Auto
	}
	for _, name := range p.Names(version) {
		if mode, stated := p.mode(version, name, property); stated {
			return mode
		}
	}
	return Auto
}

// mode returns the mode that metadata sets for a property under one name of its type. A setting
// of the property has precedence over one of the type.
func (p *Place) mode(version int, name string, property *model.Property) (mode Mode, stated bool) {
	for _, c := range p.Resource.conversions {
		if c.Folder != p.Resource.Group.Folder || c.Version != p.Resource.Versions[version].Model.Name || c.Type != name {
			continue
		}
		if p.means(version, c.Property, property) {
			return c.Mode, true
		}
		if c.Property == "" {
			mode, stated = c.Mode, true
		}
	}
	return mode, stated
}

// Custom reports whether a hand-written step must complete the conversion of the place's object
// in a version.
func (p *Place) Custom(version int) bool {
	return slices.ContainsFunc(p.members[version], func(q *model.Property) bool { return p.Mode(version, q) == Custom })
}

// offered reports whether a lineage may continue in the version that is matched. Metadata may
// have ended it in an earlier version.
func (m *matcher) offered(l *Lineage) bool {
	at := m.version
	if m.place.Resource.Versions[at].Leaf {
		at = m.prev
	}
	return m.free(l) && (l.ended < 0 || at <= l.ended)
}

// alone begins separate lineages for a leaf's properties whose mode is None.
func (m *matcher) alone() {
	if !m.place.Resource.Versions[m.version].Leaf {
		return
	}
	m.each(func(q *model.Property) *Lineage {
		if m.place.Mode(m.version, q) == None {
			l := m.begin()
			l.separate = true
			return l
		}
		return nil
	})
}

// end ends the lineages of the main line's properties whose mode is None.
func (m *matcher) end() {
	if m.place.Resource.Versions[m.version].Leaf {
		return
	}
	for _, l := range m.place.Lineages {
		if q := l.Live[m.version]; q != nil && m.place.Mode(m.version, q) == None {
			l.ended = m.version
		}
	}
}
