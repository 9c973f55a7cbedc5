package explorer

import (
	"encoding/json"
	"slices"
)

// data is the form of a history in a page. Texts, types and lists of keys stand once; properties
// refer to them by their indices.
type data struct {
	Group string     `json:"group"`
	Kinds []kindData `json:"kinds"`
	Texts []string   `json:"texts"`
	Types []typeData `json:"types"`
	Keys  [][]key    `json:"keys"`

	texts map[string]int
	types map[string]int
	keys  map[string]int
}

type kindData struct {
	Name     string        `json:"name"`
	Plural   string        `json:"plural"`
	Resource string        `json:"resource"`
	Versions []versionData `json:"versions"`
	Status   int           `json:"status,omitzero"`
	Objects  []objectData  `json:"objects"`
	Live     *Live         `json:"live,omitempty"`
}

type versionData struct {
	Name    string   `json:"name"`
	Label   string   `json:"label"`
	Doc     int      `json:"doc,omitzero"`
	Next    int      `json:"next"`
	Before  int      `json:"before"`
	AtRoot  bool     `json:"atRoot,omitzero"`
	Leaf    bool     `json:"leaf,omitzero"`
	Pruned  bool     `json:"pruned,omitzero"`
	Warning string   `json:"warning,omitzero"`
	ByHand  []string `json:"byHand,omitempty"`
}

type objectData struct {
	Path       int            `json:"path,omitzero"`
	Properties []propertyData `json:"of,omitempty"`
}

// propertyData has runs of equal cells: their number, the state, and the fields of a cell in the
// order of runs. Fields at the end that are zero are left out.
type propertyData struct {
	ID       int      `json:"id"`
	Runs     [][]int  `json:"runs"`
	Declared [][3]int `json:"declared,omitempty"` // version, text, other path
}

type typeData struct {
	Text   string   `json:"text"`
	Wrap   string   `json:"wrap,omitzero"`
	Leaf   string   `json:"leaf,omitzero"`
	Values []string `json:"values,omitempty"`
}

// key is a [Key]: its name, its version, its type, and whether it is old.
type key [4]int

// states are the states, in the order of the page's program.
var states = []State{Lone, Added, Same, Changed, Back, Bag, Nowhere, Absent}

// encode prints a history for the program of the page.
func (h *History) encode() ([]byte, error) {
	d := &data{Group: h.Group, Texts: []string{""}, Keys: [][]key{nil}, Types: []typeData{{}}, texts: map[string]int{"": 0}, types: map[string]int{}, keys: map[string]int{}}
	for _, k := range h.Kinds {
		made := kindData{Name: k.Name, Plural: k.Plural, Resource: k.Resource, Status: k.Status, Live: k.Live}
		for _, v := range k.Versions {
			made.Versions = append(made.Versions, versionData{v.Name, v.Label, d.text(v.Doc), v.Next, v.Before, v.AtRoot, v.Leaf, v.Pruned, v.Warning, v.ByHand})
		}
		for _, o := range k.Objects {
			object := objectData{Path: d.text(o.Path)}
			for _, p := range o.Properties {
				object.Properties = append(object.Properties, d.property(p))
			}
			made.Objects = append(made.Objects, object)
		}
		d.Kinds = append(d.Kinds, made)
	}
	return json.Marshal(d) // which escapes what could end the element that has it
}

func (d *data) property(p *Property) propertyData {
	out := propertyData{ID: d.text(p.ID)}
	for _, c := range p.Cells {
		run := d.run(c)
		if n := len(out.Runs) - 1; n >= 0 && slices.Equal(out.Runs[n][1:], run[1:]) {
			out.Runs[n][0]++
			continue
		}
		out.Runs = append(out.Runs, run)
	}
	for _, c := range p.Declared {
		out.Declared = append(out.Declared, [3]int{c.Version, d.text(c.Text), d.text(c.Other)})
	}
	return out
}

func (d *data) run(c Cell) []int {
	flags := 0
	for i, set := range []bool{c.Required, c.ReadOnly, c.Secret, c.Outdated, c.Dropped, c.Converted} {
		if set {
			flags |= 1 << i
		}
	}
	out := []int{
		1, slices.Index(states, c.State), d.text(c.Name), d.typeOf(c.Type), d.text(c.Doc), d.text(c.Was), d.text(c.WasType),
		d.text(c.Default), flags, d.text(c.Moved), c.Child, d.keysOf(c.Keys),
	}
	for out[len(out)-1] == 0 {
		out = out[:len(out)-1]
	}
	return out
}

func (d *data) text(s string) int { return index(d.texts, s, &d.Texts, s) }

func (d *data) typeOf(t Type) int {
	if t.Text == "" {
		return 0
	}
	made := typeData(t)
	return index(d.types, identity(made), &d.Types, made)
}

func (d *data) keysOf(all []Key) int {
	if len(all) == 0 {
		return 0
	}
	var made []key
	for _, k := range all {
		old := 0
		if k.Old {
			old = 1
		}
		made = append(made, key{d.text(k.Name), k.Since, d.text(k.Type), old})
	}
	return index(d.keys, identity(made), &d.Keys, made)
}

// index returns the index of a value in a table, to which it adds new values.
func index[T any](known map[string]int, id string, table *[]T, value T) int {
	i, is := known[id]
	if !is {
		i = len(*table)
		known[id], *table = i, append(*table, value)
	}
	return i
}

// identity returns a text that is the same for equal values.
func identity(value any) string {
	text, _ := json.Marshal(value) // texts and numbers
	return string(text)
}
