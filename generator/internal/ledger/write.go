package ledger

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/model"
)

// Format is the version of the text format, in the first line of every file.
const Format = "strata ledger 1"

// IndexFile is the name of the index in the ledger's folder.
const IndexFile = "index.json"

// File is one file of the ledger. Path is below the ledger's folder.
type File struct {
	Path string
	Body []byte
}

type index struct {
	Version   int        `json:"version"`
	Resources []indexRow `json:"resources"`
}

type indexRow struct {
	Type string `json:"type"`
	Kind string `json:"kind"`
	File string `json:"file"`
}

// Files writes the ledger.
func (l *Ledger) Files() []File {
	var out []File
	for _, e := range l.Entries {
		out = append(out, File{e.File, e.text()})
	}
	return append(out, File{IndexFile, l.index()})
}

// index writes one resource a line.
func (l *Ledger) index() []byte {
	var b bytes.Buffer
	b.WriteString("{\"version\":1,\"resources\":[")
	for i, e := range l.Entries {
		if i > 0 {
			b.WriteByte(',')
		}
		row, err := json.Marshal(indexRow{e.Model.Type, e.Model.Kind, e.File})
		if err != nil {
			panic(err) // strings always encode
		}
		b.WriteString("\n")
		b.Write(row)
	}
	b.WriteString("\n]}\n")
	return b.Bytes()
}

func (e *Entry) text() []byte {
	var b bytes.Buffer
	fmt.Fprintln(&b, Format)
	for _, h := range e.Hubs {
		fmt.Fprintln(&b, "hub", h)
	}
	for _, s := range e.Served {
		fmt.Fprintln(&b, "served", s)
	}
	for _, k := range e.Keys {
		b.WriteString(line(k))
	}
	b.Write(e.model())
	return b.Bytes()
}

// line writes a key: its version, name and property, then the path.
func line(k chain.KeyRow) string {
	words := append([]string{k.Version, k.Name, k.Property}, k.Path...)
	for i, w := range words {
		words[i] = strconv.Quote(w)
	}
	return "key " + strings.Join(words, " ") + "\n"
}

// model writes the versions; equal definitions once.
func (e *Entry) model() []byte {
	head := model.Print(&model.Resource{Type: e.Model.Type, Kind: e.Model.Kind, Plural: e.Model.Plural})
	first := map[string]string{} // text of a definition -> the version that has it
	for _, v := range e.Model.Versions {
		head = append(head, model.PrintVersion(v, 1, func(d *model.Def) string {
			text := string(model.PrintDef(d))
			if at, ok := first[text]; ok && at != v.Name {
				return at
			}
			first[text] = v.Name
			return ""
		})...)
	}
	return head
}
