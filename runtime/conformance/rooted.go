package conformance

import "reflect"

// rooted is an API root whose spec's members stand at the root of its JSON.
var rooted = reflect.TypeFor[interface{ SpecAtRoot() }]()

// keepSpec has objects always drawn with a spec if an API root of their kind has its members at the
// root: in JSON it is never absent.
func (p *program) keepSpec(api reflect.Type) {
	if !reflect.PointerTo(api).Implements(rooted) {
		return
	}
	if spec, err := p.find("Spec"); err == nil {
		spec.always = true
	}
}
