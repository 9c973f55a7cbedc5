package planfile

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/plan"
)

// Folder is the folder of the files, relative to the output folder.
const Folder = "conversions"

// Format is the number of the format. Readers refuse larger numbers, and read all smaller ones.
const Format = 1

// File contains the conversions of one group. Path is relative to the output folder.
type File struct {
	Group *plan.Group
	Path  string
	Body  []byte
}

// Jobs returns a function for each group. It prints the file of the group. The functions may run at
// the same time.
func Jobs(p *plan.Plan) []func() (File, error) {
	var out []func() (File, error)
	for _, g := range p.Groups {
		out = append(out, func() (File, error) {
			body, err := newGroup(g).encode()
			return File{g, Folder + "/" + g.Chain.Folder + ".json", body}, err
		})
	}
	return out
}

// Files prints a file for each group. It returns none if ctx ends.
func Files(ctx context.Context, p *plan.Plan) ([]File, error) {
	var out []File
	for _, job := range Jobs(p) {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		f, err := job()
		if err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	return out, nil
}

// Versions returns the versions that a file describes.
func (f *File) Versions() []*plan.KindVersion {
	var out []*plan.KindVersion
	for _, k := range f.Group.Kinds {
		out = append(out, k.Versions...)
	}
	return out
}

// group is the content of a file. Objects and steps are referred to by their indices.
type group struct {
	name    string
	objects []object
	kinds   []kind

	numbers map[*plan.Struct]int
	structs []*plan.Struct
}

// object is a type of stored objects. Each also has a property bag.
type object struct {
	Members    []member `json:"members"`
	Additional string   `json:"additional,omitempty"`
	Replaces   string   `json:"replaces,omitempty"`
}

// member is a member of an object. A type has l for each list and m for each map around the value.
// Then follows s for a string, i for an integer, n for a number, b for a boolean, j for free JSON,
// the index of an object, or @ and the name of a type of Strata.
type member struct {
	Name    string   `json:"name"`
	Type    string   `json:"type"`
	Keys    []string `json:"keys,omitempty"`
	Default string   `json:"default,omitempty"`
}

// kind is a kind. Spec and Status are the objects of the hub.
type kind struct {
	Kind     string    `json:"kind"`
	Plural   string    `json:"plural"`
	Hub      string    `json:"hub"`
	Spec     int       `json:"spec"`
	Status   int       `json:"status"`
	Versions []version `json:"-"`
}

// version is an API version. If a hand-written step takes part in its conversions, it has an
// outline in place of a plan: a plan without these steps.
type version struct {
	Name       string    `json:"name"`
	Spec       int       `json:"spec"`
	Status     int       `json:"status"`
	AtRoot     bool      `json:"atRoot,omitempty"`
	Annotation bool      `json:"annotation,omitempty"`
	Replicas   string    `json:"replicas,omitempty"`
	Plan       *jsonPlan `json:"plan,omitempty"`
	Outline    *jsonPlan `json:"outline,omitempty"`
}

// jsonPlan is a [plan.JSONPlan].
type jsonPlan struct {
	Steps     [][]move   `json:"steps,omitempty"`
	Status    int        `json:"status,omitempty"`
	Stored    []stored   `json:"stored,omitempty"`
	Changes   []change   `json:"changes,omitempty"`
	Sequences []sequence `json:"sequences,omitempty"`
}

type move struct {
	Far    string   `json:"far,omitempty"`
	Near   string   `json:"near,omitempty"`
	Step   int      `json:"step,omitempty"`
	Up     []key    `json:"up,omitempty"`
	Down   []key    `json:"down,omitempty"`
	Values []string `json:"values,omitempty"`
}

type key struct {
	Name    string `json:"name"`
	Written bool   `json:"written,omitempty"`
	Steps   []int  `json:"steps,omitempty"`
}

type stored struct {
	Step   int `json:"step"`
	Object int `json:"object"`
}

type sequence struct {
	Step    int   `json:"step"`
	Parts   []int `json:"parts"`
	Between []int `json:"between"`
}

func newGroup(g *plan.Group) *group {
	out := &group{name: g.Chain.Name, numbers: map[*plan.Struct]int{}}
	for _, k := range g.Kinds {
		hub := k.Hub()
		made := kind{Kind: k.Name, Plural: k.Resource.Model.Plural, Hub: hub.Package.StorageVersion(), Spec: out.number(hub.Spec), Status: out.number(hub.Status)}
		for _, kv := range k.Versions {
			if !kv.Version.Pruned {
				made.Versions = append(made.Versions, out.version(kv))
			}
		}
		out.kinds = append(out.kinds, made)
	}
	for i := 0; i < len(out.structs); i++ { // objects refer to further ones
		out.objects = append(out.objects, out.object(out.structs[i]))
	}
	return out
}

// number returns the index of the object of a storage type.
func (g *group) number(s *plan.Struct) int {
	s = s.Host
	i, known := g.numbers[s]
	if !known {
		i = len(g.structs)
		g.numbers[s], g.structs = i, append(g.structs, s)
	}
	return i
}

func (g *group) object(s *plan.Struct) object {
	out := object{Members: []member{}}
	for _, f := range s.Fields {
		if f.Additional {
			out.Additional, out.Replaces = g.typeOf(f.Type)[1:], f.Replaces
			continue
		}
		out.Members = append(out.Members, member{f.Stored(), g.typeOf(f.Type), f.Keys(), f.Preset()})
	}
	for _, m := range s.AddedTo(model.StorageSide) {
		out.Members = append(out.Members, member{Name: m.JSON, Type: "@" + addedTypes[m.Shape]})
	}
	return out
}

// addedTypes are the names of the types of members that Strata adds.
var addedTypes = [...]string{
	model.TextShape: "text", model.LabelShape: "label", model.OwnerShape: "owner", model.SecretRefsShape: model.SecretRefs,
	model.ConfigMapRefsShape: model.ConfigMapRefs, model.OutputsShape: model.Outputs, model.ConditionsShape: model.Conditions,
}

func (g *group) typeOf(t plan.Type) string {
	switch {
	case t.Any:
		return t.Wrap + "j"
	case t.Struct != nil:
		return t.Wrap + strconv.Itoa(g.number(t.Struct))
	case t.Enum != nil:
		return t.Wrap + "sinb"[t.Enum.Base:t.Enum.Base+1]
	}
	return t.Wrap + "sinb"[t.Kind:t.Kind+1]
}

func (g *group) version(kv *plan.KindVersion) version {
	out := version{
		Name: kv.Version.Label, Spec: g.number(kv.Spec), Status: g.number(kv.Status),
		AtRoot: kv.Version.Model.AtRoot, Annotation: !kv.Subresource, Replicas: kv.ReplicasPath(),
	}
	if kv.JSONPlan != nil {
		out.Plan = g.plan(kv.JSONPlan)
	}
	if kv.Outline != nil {
		out.Outline = g.plan(kv.Outline)
	}
	return out
}

func (g *group) plan(p *plan.JSONPlan) *jsonPlan {
	out := &jsonPlan{Status: p.Status}
	for _, step := range p.Steps {
		moves := []move{}
		for _, m := range step {
			moves = append(moves, move{m.Far, m.Near, m.Step, keysOf(m.Up), keysOf(m.Down), m.Values})
		}
		out.Steps = append(out.Steps, moves)
	}
	for _, s := range p.StoredTypes {
		out.Stored = append(out.Stored, stored{s.Step, g.number(s.Type)})
	}
	for _, c := range p.Changes {
		out.Changes = append(out.Changes, changeOf(c))
	}
	for _, s := range p.Sequences {
		between := []int{}
		for _, t := range s.Between {
			between = append(between, g.number(t))
		}
		out.Sequences = append(out.Sequences, sequence{s.Step, s.Parts, between})
	}
	return out
}

func keysOf(all []plan.JSONKey) []key {
	var out []key
	for _, k := range all {
		out = append(out, key(k))
	}
	return out
}

// encode prints a group with one line for each object and version, so that differences between
// releases are short.
func (g *group) encode() ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	var err error
	print := func(v any) {
		err = cmp.Or(err, e.Encode(v)) // with a line break
	}
	separate := func(i int) {
		if i > 0 {
			out.WriteByte(',')
		}
	}
	out.WriteString(`{"format":` + strconv.Itoa(Format) + "\n" + `,"group":`)
	print(g.name)
	out.WriteString(",\"kinds\":[\n")
	for i, k := range g.kinds {
		separate(i)
		print(k)
		out.Truncate(out.Len() - len("}\n"))
		out.WriteString(",\"versions\":[\n")
		for j, v := range k.Versions {
			separate(j)
			print(v)
		}
		out.WriteString("]}\n")
	}
	out.WriteString("],\"objects\":[\n")
	for i, o := range g.objects {
		separate(i)
		slices.SortFunc(o.Members, func(a, b member) int { return cmp.Compare(a.Name, b.Name) })
		print(o)
	}
	out.WriteString("]}\n")
	return out.Bytes(), err
}
