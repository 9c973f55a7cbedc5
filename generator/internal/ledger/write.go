package ledger

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/model"
)

// Format is the version of the text format, in the first line of every file. The others are those
// before it: the first has keys at every path and no joins, the first two have no lineages, and
// none has a sum.
const (
	Format = "strata ledger 4"
	First  = "strata ledger 1"
	Second = "strata ledger 2"
	Third  = "strata ledger 3"
)

// statusPrefix begins the words for keys of a status that does not mirror the spec.
const statusPrefix = "status-"

// File is one file of the ledger. Path is below the ledger's folder.
type File struct {
	Path string
	Body []byte
}

// Files writes the entries of the selected resource types, and the index.
func (l *Ledger) Files(wanted func(resourceType string) bool) []File {
	var out []File
	for _, e := range l.Entries {
		if wanted(e.Model.Type) {
			out = append(out, File{e.File, e.text()})
		}
	}
	return append(out, File{IndexFile, l.index()})
}

// text writes the head, one fact a line, and the model.
func (e *Entry) text() []byte {
	var b bytes.Buffer
	fmt.Fprintln(&b, cmp.Or(e.Older, Format))
	head := e.head()
	if e.Older == "" {
		fmt.Fprintln(&b, sumWord, sum(head, e.Model))
	}
	b.Write(head)
	return e.appendModel(b.Bytes())
}

// head has the lines between the sum and the model.
func (e *Entry) head() []byte {
	var b bytes.Buffer
	for _, h := range e.Hubs {
		fmt.Fprintln(&b, "hub", h)
	}
	for _, s := range e.Served {
		fmt.Fprintln(&b, "served", s)
	}
	for _, k := range e.Keys {
		b.Write(appendLine(b.AvailableBuffer(), k))
	}
	for _, n := range e.Lineages {
		b.Write(appendLineage(b.AvailableBuffer(), n))
	}
	for _, j := range e.Joins {
		b.Write(appendJoin(b.AvailableBuffer(), j))
	}
	for _, m := range e.Made {
		b.Write(appendMade(b.AvailableBuffer(), m))
	}
	return b.Bytes()
}

// appendJoin appends a join: its version and property, then the path of the object that
// the property is of, and behind the word to the path of the one whose keys it leads to.
func appendJoin(out []byte, j chain.Join) []byte {
	kind := "join"
	if j.Status {
		kind = statusPrefix + kind
	}
	out = appendQuoted(append(out, kind...), j.Version)
	out = appendNames(appendNames(out, j.Property), j.Path...)
	return append(appendNames(append(out, " to"...), j.To...), '\n')
}

// appendLine appends a key: its version, name and property, then the path; via, and the
// version of the compat package behind the name, where the shape is another; before all
// that, status where the path is in a status of its own.
func appendLine(out []byte, k chain.KeyRow) []byte {
	kind, words := "key", []string{k.Version, k.Name}
	if k.Via() {
		kind, words = "via", append(words, k.Compat)
	}
	if k.Status {
		kind = statusPrefix + kind
	}
	out = appendQuoted(append(out, kind...), words...)
	return append(appendNames(appendNames(out, k.Property), k.Path...), '\n')
}

// appendLineage appends the name of a lineage: the version, the name and the property that is part
// of it, then the path of its object.
func appendLineage(out []byte, n chain.LineageRow) []byte {
	kind := "lineage"
	if n.Status {
		kind = statusPrefix + kind
	}
	out = appendQuoted(append(out, kind...), n.Version, n.Name)
	return append(appendNames(appendNames(out, n.Property), n.Path...), '\n')
}

func appendWords(out []byte, words ...string) []byte {
	return append(appendQuoted(out, words...), '\n')
}

// appendNames appends names of properties. That of further members is their key, and one that could
// be taken for it has one $ more.
func appendNames(out []byte, names ...string) []byte {
	for _, name := range names {
		if name == chain.AdditionalName || strings.TrimLeft(name, "$") == chain.AdditionalKey[1:] && name[0] == '$' {
			name = chain.MemberKey(name)
		}
		out = appendQuoted(out, name)
	}
	return out
}

func appendQuoted(out []byte, words ...string) []byte {
	for _, w := range words {
		out = model.AppendQuote(append(out, ' '), w)
	}
	return out
}

// appendModel appends the versions; equal definitions once.
func (e *Entry) appendModel(out []byte) []byte {
	out = append(out, model.Print(e.Model.Head())...)
	first := map[string]string{} // text of a definition -> the version that has it
	var text []byte
	for _, v := range e.Model.Versions {
		out = model.AppendVersion(out, v, 1, func(d *model.Def) string {
			text = model.AppendDef(text[:0], d)
			if at, ok := first[string(text)]; ok && at != v.Name {
				return at
			}
			first[string(text)] = v.Name
			return ""
		})
	}
	return out
}
