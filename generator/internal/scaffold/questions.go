package scaffold

import (
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/diag"
)

// Question is one question to a user. Flags answer all questions, too.
type Question struct {
	Text string
	// Asked reports whether the question is open, given the answers so far.
	Asked func(Choices) bool
	// Proposal returns what an empty answer means.
	Proposal func(Choices) string
	// Set takes an answer. An error is printed, and the question asked again.
	Set func(*Choices, string) error
}

// The doors: what a user begins with.
const (
	doorNew      = "new"
	doorExisting = "existing"
	doorExternal = "external"
)

// The answers to what may be done.
const (
	answerYes = "yes"
	answerNo  = "no"
)

// Questions returns the questions about what flags left open, in their order. isReleased reports
// whether the modules of this strata are published.
func Questions(found *Found, flags Choices, isReleased bool) []Question {
	door := doorOf(found.Sources)
	isNew := func(c Choices) bool { return c.New != nil }
	return []Question{
		{
			Text:     "begin with a new API in Go (new), with Go types or CRDs that exist (existing), or with schemas of an external API (external)?",
			Asked:    func(c Choices) bool { return c.New == nil && len(c.Sources) == 0 },
			Proposal: func(Choices) string { return door },
			Set: func(c *Choices, answer string) error {
				if !slices.Contains([]string{doorNew, doorExisting, doorExternal}, answer) {
					return diag.Errorf(diag.Pos{}, "%q is not an answer", answer).WithHint("answer new, existing or external")
				}
				if door = answer; answer == doorNew {
					c.New = &NewAPI{}
				}
				return nil
			},
		},
		{
			Text:     "group and kind, such as shop.example.com/Widget",
			Asked:    func(c Choices) bool { return isNew(c) && c.New.Group == "" },
			Proposal: func(Choices) string { return "shop.example.com/Widget" },
			Set: func(c *Choices, answer string) error {
				parsed, err := ParseNewAPI(answer)
				if err == nil {
					c.New.Group, c.New.Kind = parsed.Group, parsed.Kind
				}
				return err
			},
		},
		{
			Text:     "its versions, the oldest first",
			Asked:    func(c Choices) bool { return isNew(c) && c.New.Versions == nil },
			Proposal: func(Choices) string { return firstVersion },
			Set: func(c *Choices, answer string) (err error) {
				c.New.Versions, err = ParseVersions(answer)
				return err
			},
		},
		{
			Text:  "sources, such as go=./shop crd=config/crd",
			Asked: func(c Choices) bool { return !isNew(c) && len(c.Sources) == 0 },
			Proposal: func(Choices) string {
				return strings.Join(spellings(ofDoor(found.Sources, door)), " ")
			},
			Set: func(c *Choices, answer string) error {
				proposed := ofDoor(found.Sources, door)
				if answer == strings.Join(spellings(proposed), " ") && answer != "" {
					c.Sources = proposed // with the globs of those that were found
					return nil
				}
				sources, err := parseSources(answer)
				if err == nil {
					c.Sources = sources
				}
				return err
			},
		},
		{
			Text:     "path of the new Go module",
			Asked:    func(c Choices) bool { return found.Module == "" && c.GoModule == "" && c.Module == "" },
			Proposal: func(Choices) string { return "example.com/demo" },
			Set:      func(c *Choices, answer string) error { c.GoModule = answer; return nil },
		},
		{
			Text:     "folder of what is generated",
			Asked:    func(c Choices) bool { return c.Output == "" },
			Proposal: func(c Choices) string { return completed(c, found).Output },
			Set:      func(c *Choices, answer string) error { c.Output = path.Clean(answer); return nil },
		},
		{
			Text:     "its import path",
			Asked:    func(c Choices) bool { return c.Module == "" },
			Proposal: func(c Choices) string { return completed(c, found).Module },
			Set:      func(c *Choices, answer string) error { c.Module = answer; return nil },
		},
		{
			Text:     "what API groups end in",
			Asked:    func(c Choices) bool { return c.Suffix == "" && NeedsSuffix(c.Sources) },
			Proposal: func(c Choices) string { return completed(c, found).Suffix },
			Set:      func(c *Choices, answer string) error { c.Suffix = answer; return nil },
		},
		{
			Text:     "folder of a main that serves the conversions, empty for none",
			Asked:    func(c Choices) bool { return c.Webhook == "" && flags.Operator == "" },
			Proposal: func(Choices) string { return "" },
			Set:      func(c *Choices, answer string) error { c.Webhook = answer; return nil },
		},
		{
			Text:     "folder of a main of an operator, empty for none",
			Asked:    func(c Choices) bool { return c.Operator == "" && flags.Webhook == "" && NeedsSuffix(c.Sources) },
			Proposal: func(Choices) string { return "" },
			Set:      func(c *Choices, answer string) error { c.Operator = answer; return nil },
		},
		{
			Text:     "folder of a checkout of Strata, which is not released yet; empty for none",
			Asked:    func(c Choices) bool { return c.Checkout == "" && !isReleased && !found.HasRuntime },
			Proposal: func(Choices) string { return "" },
			Set:      func(c *Choices, answer string) error { c.Checkout = answer; return nil },
		},
		{
			Text: "edit your types, conversions, programs and build files for it, as --write does, yes or no?",
			Asked: func(c Choices) bool {
				statuses, conversions := found.ToEdit(c)
				return !c.Write && statuses+conversions > 0
			},
			Proposal: func(Choices) string { return answerNo },
			Set: func(c *Choices, answer string) error {
				if answer != answerYes && answer != answerNo {
					return diag.Errorf(diag.Pos{}, "%q is not an answer", answer).WithHint("answer yes or no; git shows the edits")
				}
				c.Write = answer == answerYes
				return nil
			},
		},
	}
}

// doorOf returns the door of what was found.
func doorOf(sources []Source) string {
	switch {
	case len(sources) == 0:
		return doorNew
	case slices.ContainsFunc(sources, func(s Source) bool { return !isExternal(s) }):
		return doorExisting
	}
	return doorExternal
}

// ofDoor returns the sources of a door.
func ofDoor(sources []Source, door string) []Source {
	return slices.DeleteFunc(slices.Clone(sources), func(s Source) bool { return isExternal(s) != (door == doorExternal) })
}

func spellings(sources []Source) []string {
	var out []string
	for _, s := range sources {
		out = append(out, s.String())
	}
	return out
}

func parseSources(text string) ([]Source, error) {
	var out []Source
	var wrong error
	for _, word := range strings.Fields(text) {
		s, err := ParseSource(word)
		wrong = errors.Join(wrong, err)
		out = append(out, s)
	}
	if out == nil {
		return nil, diag.Errorf(diag.Pos{}, "a project needs a source").WithHint("such as go=./shop or arm=schemas")
	}
	return out, wrong
}

// completed returns the choices with proposals for what is open, as far as they can be made.
func completed(c Choices, found *Found) Choices {
	out, _ := c.Complete(found)
	return out
}
