package corpus

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// reader reads models in the text notation, line by line.
type reader struct {
	models       Models
	resourceType string
	kind         string
	model        *Model
	object       *Object
}

// ReadModels reads refined models in the text notation of `strata show`. Of a property it reads the
// name, the lists and maps around its type, and the object in them.
func ReadModels(text []byte) (Models, error) {
	r := reader{models: Models{}}
	number := 0
	for line := range bytes.Lines(text) {
		number++
		body := strings.TrimRight(string(line), "\n")
		rest := strings.TrimLeft(body, " ")
		if err := r.line((len(body)-len(rest))/2, &cursor{rest: rest}); err != nil {
			return nil, fmt.Errorf("line %d: %q: %w", number, body, err)
		}
	}
	return r.models, nil
}

func (r *reader) line(depth int, c *cursor) error {
	switch {
	case depth == 0 && c.eat("resource "):
		r.resourceType = c.word()
	case depth == 1 && c.eat("kind "):
		r.kind = c.word()
	case depth == 1 && c.eat("version "):
		r.model = &Model{ID: NewID(r.resourceType, c.word()), Kind: r.kind, Objects: map[string]*Object{}}
		r.models[r.model.ID] = r.model
	case depth == 2 && c.eat("spec "):
		member, err := c.member("")
		r.model.Spec = member.Object
		return err
	case depth == 2 && c.eat("status "):
		return fmt.Errorf("a status of its own is not read yet")
	case depth == 2 && c.eat("def "):
		r.object = &Object{}
		r.model.Objects[c.word()] = r.object
		if c.rest != " object" {
			return fmt.Errorf("a definition of anything but an object")
		}
	case depth == 3 && c.eat("."):
		return r.property(c)
	case depth == 3 && c.eat("* "):
		member, err := c.member("")
		r.object.Members = append(r.object.Members, member)
		return err
	}
	return nil
}

func (r *reader) property(c *cursor) error {
	name := c.word()
	c.eat("!")
	c.eat(" ")
	member, err := c.member(name)
	r.object.Members = append(r.object.Members, member)
	return err
}

// cursor has the unread rest of a line.
type cursor struct{ rest string }

func (c *cursor) eat(prefix string) bool {
	rest, ok := strings.CutPrefix(c.rest, prefix)
	c.rest = rest
	return ok
}

// word reads a name, which may be quoted.
func (c *cursor) word() string {
	if quoted, err := strconv.QuotedPrefix(c.rest); err == nil {
		c.rest = c.rest[len(quoted):]
		name, _ := strconv.Unquote(quoted) // QuotedPrefix has checked it
		return name
	}
	end := strings.IndexAny(c.rest, " !()")
	if end < 0 {
		end = len(c.rest)
	}
	name := c.rest[:end]
	c.rest = c.rest[end:]
	return name
}

// member reads what follows the name of a property.
func (c *cursor) member(name string) (Member, error) {
	m := Member{Name: name}
	for {
		switch {
		case c.eat("readonly "), c.eat("secret "):
		case c.eat("wire("):
			c.word()
			c.eat(") ")
		case c.eat("default("):
			if err := c.value(); err != nil {
				return m, err
			}
			c.eat(") ")
		case c.eat("list"):
			m.Around += "[]"
			if c.eat("(") {
				_, c.rest, _ = strings.Cut(c.rest, ")")
			}
			c.eat(" ")
		case c.eat("map "):
			m.Around += "{}"
		case c.eat("&"):
			m.Object = c.word()
			return m, nil
		case c.eat("any("):
			m.Free, m.Conflict = true, c.word()
			return m, nil
		case c.eat("any"):
			m.Free = true
			return m, nil
		case hasPrefix(c.rest, "string", "int", "number", "bool", "enum "):
			return m, nil
		default:
			return m, fmt.Errorf("not a type: %q", c.rest)
		}
	}
}

// value reads over a JSON value.
func (c *cursor) value() error {
	decoder := json.NewDecoder(strings.NewReader(c.rest))
	var value json.RawMessage
	if err := decoder.Decode(&value); err != nil {
		return fmt.Errorf("read value: %w", err)
	}
	c.rest = c.rest[decoder.InputOffset():]
	return nil
}

func hasPrefix(text string, prefixes ...string) bool {
	for _, prefix := range prefixes {
		if strings.HasPrefix(text, prefix) {
			return true
		}
	}
	return false
}
