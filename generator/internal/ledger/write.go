package ledger

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/model"
)

// Format is the current text format, as the first line of every file states it. The others are
// earlier formats. First has keys at every path and no joins. First and Second have no lineages.
// All three have no sum.
const (
	Format = "strata ledger 4"
	First  = "strata ledger 1"
	Second = "strata ledger 2"
	Third  = "strata ledger 3"
)

// statusPrefix is the prefix of the words for rows of a status that does not mirror the spec.
const statusPrefix = "status-"

// File is one file of the ledger. Path is relative to the ledger's folder.
type File struct {
	Path string
	Body []byte
}

// Jobs returns functions that print the files of the selected resource types' entries, and the
// index. The functions may run at the same time.
func (l *Ledger) Jobs(wanted func(resourceType string) bool) []func() File {
	var out []func() File
	for _, e := range l.Entries {
		if wanted(e.Model.Type) {
			out = append(out, func() File { return File{e.File, e.text()} })
		}
	}
	return append(out, func() File { return File{IndexFile, l.index()} })
}

// text formats an entry: the head, with one fact on a line, and the model.
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

// head returns the lines between the sum and the model.
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

// appendJoin appends a join: its version and property, and the path of the property's object.
// After the word "to" follows the path of the object whose keys it has.
func appendJoin(out []byte, j chain.Join) []byte {
	kind := "join"
	if j.Status {
		kind = statusPrefix + kind
	}
	out = appendQuoted(append(out, kind...), j.Version)
	out = appendNames(appendNames(out, j.Property), j.Path...)
	return append(appendNames(append(out, " to"...), j.To...), '\n')
}

// appendLine appends a key: its version, name and property, and then the path. If the shape
// differs, the line begins with "via", and the compat package's version follows the name. For a
// separate status, "status-" precedes the first word.
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

// appendLineage appends the name of a lineage: the version, the name and the property that is
// part of it, and the path of its object.
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

// appendNames appends names of properties. Further members are written as their key. A name that
// could be confused with that key gets one more $.
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

// appendModel appends the model. Each definition is written once; later equal ones refer to it.
func (e *Entry) appendModel(out []byte) []byte {
	head := e.Model.Head()
	head.Facts = head.Facts.Without(model.StorageVersion, model.StoredVersions) // states of a cluster
	out = append(out, model.Print(head)...)
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
