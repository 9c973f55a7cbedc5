package yaml

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"gopkg.in/yaml.v3"
)

// Node is a value of a syntax tree.
type Node = yaml.Node

// Kind is the kind of a node.
type Kind = yaml.Kind

// The kinds of nodes.
const (
	DocumentNode = yaml.DocumentNode
	SequenceNode = yaml.SequenceNode
	MappingNode  = yaml.MappingNode
	ScalarNode   = yaml.ScalarNode
	AliasNode    = yaml.AliasNode
)

// Documents parses at most the given number of documents of a text, and returns the root of each
// that is not empty. A panic of the library on malformed input becomes a syntax error.
func Documents(body []byte, most int) (roots []*Node, err error) {
	defer func() {
		if r := recover(); r != nil {
			roots, err = nil, fmt.Errorf("yaml: %v", r)
		}
	}()
	stream := yaml.NewDecoder(bytes.NewReader(body))
	for len(roots) < most {
		var document Node
		err := stream.Decode(&document)
		switch {
		case errors.Is(err, io.EOF):
			return roots, nil
		case err != nil:
			return nil, err
		case len(document.Content) > 0:
			roots = append(roots, document.Content[0])
		}
	}
	return roots, nil
}

// Unmarshal decodes the first document into a value, as the library does.
func Unmarshal(body []byte, into any) error { return yaml.Unmarshal(body, into) }
