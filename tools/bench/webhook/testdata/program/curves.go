package main

import (
	"fmt"
	"os"
	"slices"
	"time"
)

// Point is what plans take for a review where one quantity has a value.
type Point struct {
	// Curve names the quantity, and N is its value.
	Curve string
	N     float64
	// CPU is the processor time of a review in nanoseconds: the median of the rounds.
	CPU float64
}

// curve changes one quantity of a case, and leaves the others alone.
type curve struct {
	name   string
	values []int
	with   func(c *Case, value int) (n float64)
}

func curves() []curve {
	return []curve{
		{"KB over TLS", []int{6, 12, 24, 48, 96, 192, 384}, func(c *Case, value int) float64 {
			c.Transport, c.Size = http2, 1000*value
			return float64(value)
		}},
		{"objects", []int{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000}, func(c *Case, value int) float64 {
			c.Objects = value
			return float64(value)
		}},
		{"KB", []int{6, 12, 24, 48, 96, 192, 384}, func(c *Case, value int) float64 {
			c.Size = 1000 * value
			return float64(value)
		}},
		{"hidden values", []int{0, 5, 10, 20, 40, 60}, func(c *Case, value int) float64 {
			c.Values = value
			return float64(value)
		}},
		// Plans refuse property bags of more than 64 entries.
		{"more hidden values", []int{80, 160, 320, 640, 1280}, func(c *Case, value int) float64 {
			c.Values = value
			return float64(value)
		}},
		{"steps", []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, func(c *Case, value int) float64 {
			c.Steps = value
			return float64(value)
		}},
	}
}

// curves measures the reviews of all curves, in process unless a curve says otherwise, from the hub
// and to it. The points of a
// curve take turns, so that what else the machine does meets all of them.
func (c *contest) curves() (points []Point, err error) {
	for _, up := range []bool{true, false} {
		direction := "from the hub, "
		if up {
			direction = "to the hub, "
		}
		for _, of := range curves() {
			fmt.Fprintln(os.Stderr, direction+of.name)
			measured, err := c.curve(of, up)
			if err != nil {
				return nil, fmt.Errorf("%s%s: %w", direction, of.name, err)
			}
			for _, p := range measured {
				p.Curve = direction + of.name
				points = append(points, p)
			}
		}
	}
	return points, nil
}

func (c *contest) curve(of curve, up bool) (points []Point, err error) {
	senders, end := c.senders()
	defer end()
	var cases []Case
	var repeats []int
	for _, value := range of.values {
		one := Case{Transport: inProcess, Objects: 1, Size: small, Steps: 3, Up: up}
		points = append(points, Point{N: of.with(&one, value)})
		if err := c.build(&one); err != nil {
			return nil, err
		}
		took, err := cpuOf(senders[one.Transport][0], one.review, 1, true)
		if err != nil {
			return nil, err
		}
		cases, repeats = append(cases, one), append(repeats, int(max(1, min(2000, turn/max(took, time.Microsecond)))))
	}
	cpu := make([][]float64, len(cases))
	for range *rounds {
		for i, one := range cases {
			took, err := cpuOf(senders[one.Transport][0], one.review, repeats[i], true)
			if err != nil {
				return nil, err
			}
			cpu[i] = append(cpu[i], float64(took)/float64(repeats[i]))
		}
	}
	for i := range points {
		points[i].CPU = median(slices.Clone(cpu[i]))
	}
	return points, nil
}
