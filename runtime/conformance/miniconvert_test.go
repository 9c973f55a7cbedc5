package conformance

import (
	"errors"
	"strings"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/genruntime"
)

// API to storage and back. The storage part of a version differs from its API part in the bag
// alone.

func (m *mini1) ConvertToStorage(s *stored1) error {
	s.ObjectMeta = m.ObjectMeta
	err := genruntime.FirstError(genruntime.ObjectTo(&s.Spec, m.Spec, to1), genruntime.ObjectTo(&s.Status, m.Status, statusTo))
	restore(m, &s.Spec, &s.Status)
	return err
}

func (m *mini1) ConvertFromStorage(s *stored1) error {
	m.ObjectMeta = s.ObjectMeta
	err := genruntime.FirstError(genruntime.ObjectTo(&m.Spec, s.Spec, from1), genruntime.ObjectTo(&m.Status, s.Status, statusFrom))
	hide(m, s.Spec, s.Status)
	return err
}

func (m *mini2) ConvertToStorage(s *stored2) error {
	s.ObjectMeta = m.ObjectMeta
	err := genruntime.FirstError(genruntime.ObjectTo(&s.Spec, m.Spec, to2), genruntime.ObjectTo(&s.Status, m.Status, statusTo))
	restore(m, &s.Spec, &s.Status)
	return err
}

func (m *mini2) ConvertFromStorage(s *stored2) error {
	m.ObjectMeta = s.ObjectMeta
	err := genruntime.FirstError(genruntime.ObjectTo(&m.Spec, s.Spec, from2), genruntime.ObjectTo(&m.Status, s.Status, statusFrom))
	hide(m, s.Spec, s.Status)
	return err
}

func (m *mini3) ConvertToStorage(s *stored3) error {
	s.ObjectMeta = m.ObjectMeta
	err := genruntime.FirstError(genruntime.ObjectTo(&s.Spec, m.Spec, to3), genruntime.ObjectTo(&s.Status, m.Status, statusTo))
	restore(m, &s.Spec, &s.Status)
	decide(s.Spec)
	return err
}

func (m *mini3) ConvertFromStorage(s *stored3) error {
	m.ObjectMeta = s.ObjectMeta
	err := genruntime.FirstError(genruntime.ObjectTo(&m.Spec, s.Spec, from3), genruntime.ObjectTo(&m.Status, s.Status, statusFrom))
	hide(m, s.Spec, s.Status)
	return err
}

func statusTo(src *miniStatus, dst *storedStatus) error {
	dst.Phase = src.Phase
	return nil
}

func statusFrom(src *storedStatus, dst *miniStatus) error {
	dst.Phase = src.Phase
	return nil
}

func to1(src *spec1, dst *storedSpec1) error {
	*dst = storedSpec1{Title: src.Title, Note: src.Note, Mood: (*string)(src.Mood), Tags: src.Tags, OriginalVersion: "v1"}
	if fault == "empty list is absent" && len(src.Tags) == 0 {
		dst.Tags = nil
	}
	return genruntime.FirstError(genruntime.ListTo(&dst.Parts, src.Parts, partTo1), genruntime.MapToStorage(&dst.ByKey, src.ByKey, partTo1), genruntime.ObjectTo(&dst.Main, src.Main, partTo1))
}

func from1(src *storedSpec1, dst *spec1) error {
	*dst = spec1{Title: src.Title, Note: src.Note, Mood: (*mood)(src.Mood), Tags: src.Tags}
	return genruntime.FirstError(genruntime.ListTo(&dst.Parts, src.Parts, partFrom1), genruntime.MapFromStorage(&dst.ByKey, src.ByKey, func(d *part1, s *storedPart1) error { return partFrom1(s, d) }), genruntime.ObjectTo(&dst.Main, src.Main, partFrom1))
}

func partTo1(src *part1, dst *storedPart1) error {
	*dst = storedPart1{Name: src.Name, Color: src.Color, Size: src.Size}
	return genruntime.ListTo(&dst.Subs, src.Subs, partTo1)
}

func partFrom1(src *storedPart1, dst *part1) error {
	*dst = part1{Name: src.Name, Color: src.Color, Size: src.Size}
	return genruntime.ListTo(&dst.Subs, src.Subs, partFrom1)
}

func to2(src *spec2, dst *storedSpec2) error {
	*dst = storedSpec2{Title: src.Title, Mood: src.Mood, Tags: src.Tags, Free: src.Free, OriginalVersion: "v2"}
	return genruntime.FirstError(genruntime.ListTo(&dst.Parts, src.Parts, partTo2), genruntime.MapToStorage(&dst.ByKey, src.ByKey, partTo2), genruntime.ObjectTo(&dst.Main, src.Main, partTo2))
}

func from2(src *storedSpec2, dst *spec2) error {
	*dst = spec2{Title: src.Title, Mood: src.Mood, Tags: src.Tags, Free: src.Free}
	return genruntime.FirstError(genruntime.ListTo(&dst.Parts, src.Parts, partFrom2), genruntime.MapFromStorage(&dst.ByKey, src.ByKey, func(d *part2, s *storedPart2) error { return partFrom2(s, d) }), genruntime.ObjectTo(&dst.Main, src.Main, partFrom2))
}

func partTo2(src *part2, dst *storedPart2) error {
	*dst = storedPart2{Name: src.Name, Size: src.Size, Weight: src.Weight}
	return genruntime.ListTo(&dst.Subs, src.Subs, partTo2)
}

func partFrom2(src *storedPart2, dst *part2) error {
	*dst = part2{Name: src.Name, Size: src.Size, Weight: src.Weight}
	return genruntime.ListTo(&dst.Subs, src.Subs, partFrom2)
}

func to3(src *spec3, dst *storedSpec3) error {
	*dst = storedSpec3{Heading: src.Heading, Note: src.Note, Mood: src.Mood, Tags: src.Tags, Free: src.Free, OriginalVersion: "v3"}
	return genruntime.FirstError(genruntime.ListTo(&dst.Parts, src.Parts, partTo3), genruntime.MapToStorage(&dst.ByKey, src.ByKey, partTo3), genruntime.ObjectTo(&dst.Main, src.Main, partTo3))
}

func from3(src *storedSpec3, dst *spec3) error {
	*dst = spec3{Heading: src.Heading, Note: src.Note, Mood: src.Mood, Tags: src.Tags, Free: src.Free}
	return genruntime.FirstError(genruntime.ListTo(&dst.Parts, src.Parts, partFrom3), genruntime.MapFromStorage(&dst.ByKey, src.ByKey, func(d *part3, s *storedPart3) error { return partFrom3(s, d) }), genruntime.ObjectTo(&dst.Main, src.Main, partFrom3))
}

func partTo3(src *part3, dst *storedPart3) error {
	*dst = storedPart3{Name: src.Name, Size: src.Size, Weight: src.Weight}
	return genruntime.FirstError(genruntime.ObjectTo(&dst.Maker, src.Maker, partTo3), genruntime.ListTo(&dst.Subs, src.Subs, partTo3))
}

func partFrom3(src *storedPart3, dst *part3) error {
	*dst = part3{Name: src.Name, Size: src.Size, Weight: src.Weight}
	return genruntime.FirstError(genruntime.ObjectTo(&dst.Maker, src.Maker, partFrom3), genruntime.ListTo(&dst.Subs, src.Subs, partFrom3))
}

// Steps.

func step12(src *stored1, dst *stored2) error {
	dst.ObjectMeta = src.ObjectMeta
	return genruntime.FirstError(genruntime.ObjectTo(&dst.Spec, src.Spec, spec12), genruntime.ObjectTo(&dst.Status, src.Status, statusStep))
}

func step21(src *stored2, dst *stored1) error {
	dst.ObjectMeta = src.ObjectMeta
	return genruntime.FirstError(genruntime.ObjectTo(&dst.Spec, src.Spec, spec21), genruntime.ObjectTo(&dst.Status, src.Status, statusStep))
}

func step23(src *stored2, dst *stored3) error {
	dst.ObjectMeta = src.ObjectMeta
	err := genruntime.FirstError(genruntime.ObjectTo(&dst.Spec, src.Spec, spec23), genruntime.ObjectTo(&dst.Status, src.Status, statusStep))
	decide(dst.Spec)
	return err
}

func step32(src *stored3, dst *stored2) error {
	dst.ObjectMeta = src.ObjectMeta
	return genruntime.FirstError(genruntime.ObjectTo(&dst.Spec, src.Spec, spec32), genruntime.ObjectTo(&dst.Status, src.Status, statusStep))
}

func statusStep(src, dst *storedStatus) error {
	*dst = storedStatus{Phase: src.Phase, PropertyBag: src.PropertyBag.Clone()}
	return nil
}

func spec12(src *storedSpec1, dst *storedSpec2) error {
	*dst = storedSpec2{Title: src.Title, Mood: src.Mood, Tags: src.Tags, OriginalVersion: src.OriginalVersion, PropertyBag: src.PropertyBag.Clone()}
	genruntime.Recall(&dst.PropertyBag, "free", &dst.Free)
	if !augmented || !sameText(noteOf(dst.Free), src.Note) {
		if augmented {
			delete(dst.PropertyBag, "note")
			had := dst.Free != nil
			if dst.Free = freeOf(src.Note); had && src.Note == nil && fault == "a removal leaves something" {
				dst.Free = runtime.JSON(`{"left": true}`)
			}
		}
		stash(&dst.PropertyBag, "note", src.Note)
	}
	return genruntime.FirstError(genruntime.ListTo(&dst.Parts, src.Parts, part12), genruntime.MapTo(&dst.ByKey, src.ByKey, part12), genruntime.ObjectTo(&dst.Main, src.Main, part12))
}

func spec21(src *storedSpec2, dst *storedSpec1) error {
	*dst = storedSpec1{Title: src.Title, Mood: src.Mood, Tags: src.Tags, OriginalVersion: src.OriginalVersion, PropertyBag: src.PropertyBag.Clone()}
	genruntime.Recall(&dst.PropertyBag, "note", &dst.Note)
	if derived := noteOf(src.Free); augmented && (!isSameFree(freeOf(dst.Note), src.Free) || sameText(derived, dst.Note)) {
		dst.PropertyBag = src.PropertyBag.Clone() // where the note stays that is not, or need not be, restored
		dst.Note = derived
	}
	genruntime.Stash(&dst.PropertyBag, "free", src.Free)
	return genruntime.FirstError(genruntime.ListTo(&dst.Parts, src.Parts, part21), genruntime.MapTo(&dst.ByKey, src.ByKey, part21), genruntime.ObjectTo(&dst.Main, src.Main, part21))
}

func part12(src *storedPart1, dst *storedPart2) error {
	*dst = storedPart2{Name: src.Name, Size: src.Size, PropertyBag: src.PropertyBag.Clone()}
	stash(&dst.PropertyBag, "color", src.Color)
	genruntime.Recall(&dst.PropertyBag, "weight", &dst.Weight)
	return genruntime.ListTo(&dst.Subs, src.Subs, part12)
}

func part21(src *storedPart2, dst *storedPart1) error {
	*dst = storedPart1{Name: src.Name, Size: src.Size, PropertyBag: src.PropertyBag.Clone()}
	if err := recallColor(&dst.PropertyBag, &dst.Color); err != nil {
		return err
	}
	stash(&dst.PropertyBag, "weight", src.Weight)
	return genruntime.ListTo(&dst.Subs, src.Subs, part21)
}

func spec23(src *storedSpec2, dst *storedSpec3) error {
	*dst = storedSpec3{Heading: src.Title, Mood: src.Mood, Tags: src.Tags, Free: src.Free, OriginalVersion: src.OriginalVersion, PropertyBag: src.PropertyBag.Clone()}
	genruntime.Recall(&dst.PropertyBag, "note", &dst.Note)
	return genruntime.FirstError(genruntime.ListTo(&dst.Parts, src.Parts, part23), genruntime.MapTo(&dst.ByKey, src.ByKey, part23), genruntime.ObjectTo(&dst.Main, src.Main, part23))
}

func spec32(src *storedSpec3, dst *storedSpec2) error {
	*dst = storedSpec2{Title: src.Heading, Mood: src.Mood, Tags: src.Tags, Free: src.Free, OriginalVersion: src.OriginalVersion, PropertyBag: src.PropertyBag.Clone()}
	stash(&dst.PropertyBag, "note", src.Note)
	return genruntime.FirstError(genruntime.ListTo(&dst.Parts, src.Parts, part32), genruntime.MapTo(&dst.ByKey, src.ByKey, part32), genruntime.ObjectTo(&dst.Main, src.Main, part32))
}

func part23(src *storedPart2, dst *storedPart3) error {
	*dst = storedPart3{Name: src.Name, Size: src.Size, Weight: src.Weight, PropertyBag: src.PropertyBag.Clone()}
	genruntime.Recall(&dst.PropertyBag, "maker", &dst.Maker)
	return genruntime.ListTo(&dst.Subs, src.Subs, part23)
}

func part32(src *storedPart3, dst *storedPart2) error {
	*dst = storedPart2{Name: src.Name, Size: src.Size, Weight: src.Weight, PropertyBag: src.PropertyBag.Clone()}
	if fault == "the source's bag is used" {
		dst.PropertyBag = src.PropertyBag
	}
	stash(&dst.PropertyBag, "maker", src.Maker)
	return genruntime.ListTo(&dst.Subs, src.Subs, part32)
}

func recallColor(bag *runtime.PropertyBag, color **string) error {
	entry, found := (*bag)["color"]
	if genruntime.Recall(bag, "color", color) || !found {
		return nil
	}
	switch fault {
	case "damage panics":
		panic("no color: " + string(entry))
	case "damage is an error":
		return errors.New("no color: " + string(entry))
	case "damage is dropped":
		delete(*bag, "color")
	}
	return nil
}

func stash[T any](bag *runtime.PropertyBag, key string, value T) {
	if fault != "lost "+key {
		genruntime.Stash(bag, key, value)
	}
}

// To the hub at once. The hand-written miniature goes step by step, where generated code does not.

func (m *mini1) ConvertTo(h miniHub) error {
	var s1 stored1
	var s2 stored2
	err := genruntime.FirstError(m.ConvertToStorage(&s1), step12(&s1, &s2), step23(&s2, h.(*stored3)))
	if spec := h.(*stored3).Spec; fault == "fused up" && spec != nil && spec.Note != nil && spec.Main != nil {
		spec.PropertyBag = runtime.PropertyBag{"extra": runtime.JSON("1")}
	}
	return err
}

func (m *mini1) ConvertFrom(h miniHub) error {
	var s1 stored1
	var s2 stored2
	err := genruntime.FirstError(step32(h.(*stored3), &s2), step21(&s2, &s1), m.ConvertFromStorage(&s1))
	if fault == "fused down" && m.Spec != nil && h.(*stored3).Spec.Free != nil {
		m.Spec.Note = nil
	}
	return err
}

func (m *mini2) ConvertTo(h miniHub) error {
	var s2 stored2
	return genruntime.FirstError(m.ConvertToStorage(&s2), step23(&s2, h.(*stored3)))
}

func (m *mini2) ConvertFrom(h miniHub) error {
	var s2 stored2
	return genruntime.FirstError(step32(h.(*stored3), &s2), m.ConvertFromStorage(&s2))
}

func (m *mini3) ConvertTo(h miniHub) error   { return m.ConvertToStorage(h.(*stored3)) }
func (m *mini3) ConvertFrom(h miniHub) error { return m.ConvertFromStorage(h.(*stored3)) }

// ConvertSpecFrom converts the hub's spec alone.
func (s *spec1) ConvertSpecFrom(hub any) error {
	var s1 storedSpec1
	var s2 storedSpec2
	err := genruntime.FirstError(spec32(hub.(*storedSpec3), &s2), spec21(&s2, &s1), from1(&s1, s))
	if fault == "the spec alone" {
		s.Note = nil
	}
	return err
}

func originalOf(s *storedSpec3) string {
	if s == nil {
		return ""
	}
	return s.OriginalVersion
}

func decide(s *storedSpec3) {
	if _, wished, open := strings.Cut(originalOf(s), "|"); open && fault == "an edit sends less" {
		s.OriginalVersion = wished
	}
	genruntime.DecideOriginal(nil, s, miniExpressions)
}

// augmented means that a hand-written step derives the free JSON of v2 from the note of v1, and
// the note from the free JSON.
var augmented bool

// freeOf is a note in capitals.
func freeOf(note *string) runtime.JSON {
	if note == nil {
		return nil
	}
	return runtime.JSON(jsonText(strings.ToUpper(*note)))
}

// isSameFree compares free JSON by value: there are several spellings of a text.
func isSameFree(a, b runtime.JSON) bool {
	return (a == nil) == (b == nil) && readValue(a) == readValue(b)
}

// noteOf is free JSON that is a note.
func noteOf(free runtime.JSON) *string {
	note, ok := readValue(free).(string)
	if !ok || !isSameFree(freeOf(&note), free) {
		return nil
	}
	return &note
}

func sameText(a, b *string) bool { return a == b || a != nil && b != nil && *a == *b }

func miniKind() Versions {
	return Kind("Example.Crm/minis",
		Root[*mini1]("v1", step12, step21),
		Root[*mini2]("v2", step23, step32),
		Hub[*mini3]("v3"),
	)
}
