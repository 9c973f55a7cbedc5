package chain

import (
	"strconv"

	"github.com/stratakube/strata/generator/internal/model"
)

// sorter sorts the objects of a graph into classes: two are of one class if they and
// all below them have the same.
type sorter struct {
	own   []string   // what each has itself, empty for nothing
	below [][]toward // what its properties lead to
}

// toward is a property that leads to an object, by its number.
type toward struct {
	property string
	to       int
}

func newSorter(n int) *sorter { return &sorter{make([]string, n), make([][]toward, n)} }

// classes numbers the classes in order of the objects. 0 is that of objects that have
// nothing, like all below them.
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

// number gives objects of equal keys one number, from 1, and counts them.
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

// some finds the objects that have something, or lead to one that has.
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
