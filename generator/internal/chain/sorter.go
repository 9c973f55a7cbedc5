package chain

import (
	"strconv"

	"github.com/stratakube/strata/generator/internal/model"
)

// sorter groups the objects of a graph into classes. Two objects are of one class if they and all
// objects below them have the same texts.
type sorter struct {
	own   []string   // the text of each object; empty for none
	below [][]toward // the objects that its properties lead to
}

// toward is a property that leads to an object, which is identified by its number.
type toward struct {
	property string
	to       int
}

func newSorter(n int) *sorter { return &sorter{make([]string, n), make([][]toward, n)} }

// classes numbers the classes in the order of the objects. 0 is the class of objects without a
// text, here and below.
func (s *sorter) classes() []int {
	out := make([]int, len(s.own))
	some := s.some()
	count := s.number(out, func(key []byte, i int) []byte { return append(key, s.own[i]...) }, some)
	for before := 0; before != count; {
		before = count
		last := append([]int(nil), out...)
		count = s.number(out, func(key []byte, i int) []byte {
			key = strconv.AppendInt(key, int64(last[i]), 36)
			for _, t := range s.below[i] {
				if some[t.to] {
					key = model.AppendQuote(key, t.property)
					key = strconv.AppendInt(key, int64(last[t.to]), 36)
				}
			}
			return key
		}, some)
	}
	return out
}

// number assigns one number, beginning at 1, to objects of equal keys, and returns how many
// numbers there are.
func (s *sorter) number(out []int, key func([]byte, int) []byte, some []bool) int {
	ids := map[string]int{}
	var k []byte
	for i := range out {
		if !some[i] {
			continue
		}
		k = key(k[:0], i)
		id, ok := ids[string(k)]
		if !ok {
			id = len(ids) + 1
			ids[string(k)] = id
		}
		out[i] = id
	}
	return len(ids)
}

// some finds the objects that have a text, or lead to an object that has one.
func (s *sorter) some() []bool {
	out := make([]bool, len(s.own))
	above := make([][]int, len(s.own))
	var queue []int
	for i := range s.own {
		for _, t := range s.below[i] {
			above[t.to] = append(above[t.to], i)
		}
		if s.own[i] != "" {
			out[i] = true
			queue = append(queue, i)
		}
	}
	for len(queue) > 0 {
		i := queue[0]
		queue = queue[1:]
		for _, j := range above[i] {
			if !out[j] {
				out[j] = true
				queue = append(queue, j)
			}
		}
	}
	return out
}
