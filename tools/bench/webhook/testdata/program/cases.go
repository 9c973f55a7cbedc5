package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"regexp"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratakube/strata/webhook/engine"
)

// Case is one review, and how it is sent.
type Case struct {
	// Transport is how the review is sent, as in "HTTP/2".
	Transport string
	// Objects is how many there are, and Size about how many bytes each has.
	Objects, Size int
	// Steps is how far the version is from the hub; Up tells that it is converted to the hub.
	Steps int
	Up    bool
	// Hidden says what the version cannot show, if there is anything.
	Hidden string `json:",omitempty"`
	// Values is how many values it cannot show.
	Values int `json:",omitempty"`

	from, to string
	review   []byte
}

func (c Case) String() string {
	direction := "down"
	if c.Up {
		direction = "up"
	}
	name := fmt.Sprintf("%s/%d/%d/%d-steps/%s", c.Transport, c.Objects, c.Size, c.Steps, direction)
	if c.Hidden != "" {
		name += "/" + c.Hidden
	}
	return name
}

const (
	small = 6_000
	large = 36_000

	inProcess = "in process"
	http2     = "HTTP/2"
	http1     = "HTTP/1.1"
	http2Many = "HTTP/2 over 16 connections in turn"
	// Every review has a connection of its own. Its TLS session is new, or resumed.
	http2New     = "HTTP/2 over a new connection"
	http2Resumed = "HTTP/2 over a resumed connection"

	nothing  = ""
	original = "original version"
	values   = "five values"
)

// planOfCases lists what is measured.
func planOfCases() (cases []Case) {
	both := func(c Case) {
		for _, c.Up = range []bool{true, false} {
			cases = append(cases, c)
		}
	}
	for _, of := range chains() {
		for _, c := range []Case{
			{Transport: http2, Objects: 1, Size: small}, {Transport: http2, Objects: 1, Size: large},
			{Transport: http1, Objects: 1, Size: small}, {Transport: http1, Objects: 1, Size: large},
			{Transport: inProcess, Objects: 1, Size: small}, {Transport: inProcess, Objects: 100, Size: small}, {Transport: inProcess, Objects: 500, Size: small},
		} {
			c.Steps = of.steps
			both(c)
			if of.steps == 3 && c.Transport == http2 && c.Size == small {
				for _, c.Transport = range []string{http2Many, http2New, http2Resumed} {
					both(c)
				}
				c.Transport = http2
			}
			if of.steps != 3 || c.Objects == 100 || c.Transport == http1 || c.Size == large {
				continue
			}
			c.Hidden = original
			both(c)
			c.Hidden, c.Values = values, 5
			both(c)
		}
	}
	return cases
}

// cases builds the reviews of the cases whose names match.
func (c *contest) cases(only *regexp.Regexp) ([]Case, error) {
	var cases []Case
	for _, one := range planOfCases() {
		if !only.MatchString(one.String()) {
			continue
		}
		if err := c.build(&one); err != nil {
			return nil, fmt.Errorf("build %s: %w", one, err)
		}
		cases = append(cases, one)
	}
	return cases, nil
}

// build writes the review of a case.
func (c *contest) build(one *Case) error {
	version := ""
	for _, of := range chains() {
		if of.steps == one.Steps {
			version = of.version
		}
	}
	one.from, one.to = hubOr(!one.Up, version), hubOr(one.Up, version)
	var objects [][]byte
	for i := range one.Objects {
		o, err := c.object(*one, version, fmt.Sprintf("pool-%04d", i))
		if err != nil {
			return err
		}
		objects = append(objects, o)
	}
	one.review = reviewOf(one.to, objects)
	return nil
}

func hubOr(isHub bool, version string) string {
	if isHub {
		return *hub
	}
	return version
}

func reviewOf(to string, objects [][]byte) []byte {
	return fmt.Appendf(nil, `{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{"uid":"705ab4f5-6393-11e8-b7cc-42010a800002","desiredAPIVersion":"%s/%s","objects":[%s]}}`+"\n",
		group, to, bytes.Join(objects, []byte(",")))
}

// object is a pool as the API server sends it: written through a version, stored as the hub has it, and read through
// the version again.
func (c *contest) object(one Case, version, name string) ([]byte, error) {
	written := newPool(version, name, one.Size)
	if one.Up && one.Hidden == nothing && one.Values == 0 {
		return written, nil
	}
	stored, err := c.convert(version, *hub, written)
	if err != nil {
		return nil, err
	}
	spec := stored["spec"].(object)
	if one.Hidden == original {
		spec["originalVersion"] = *other
	}
	if one.Values > 0 {
		bag := object{}
		for i := range one.Values {
			bag[fmt.Sprintf("hidden%d", i)] = object{"name": "hidden", "size": i}
		}
		spec["$propertyBag"] = bag
	}
	if one.Up {
		if stored, err = c.convert(*hub, version, pool{stored}.bytes()); err != nil {
			return nil, err
		}
	}
	return pool{stored}.bytes(), nil
}

// convert converts by types.
func (c *contest) convert(from, to string, data []byte) (object, error) {
	pair := engine.Pair{Kind: schema.GroupKind{Group: group, Kind: kind}, From: from, To: to}
	converter := c.types.Converter(pair)
	if converter == nil {
		return nil, fmt.Errorf("nothing converts %s", pair)
	}
	out, err := converter.Append(context.Background(), nil, data)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(out))
	d.UseNumber()
	var o object
	return o, d.Decode(&o)
}
