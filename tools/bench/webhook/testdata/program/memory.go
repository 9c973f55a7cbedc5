package main

import (
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// many is how many objects a review has whose memory is measured.
const many = 5_000

// memory returns the heap that a review of many objects takes at its peak, beyond the review, by the name of the
// handler. The answer is thrown away as it comes.
func (c *contest) memory() (map[string]uint64, error) {
	one := Case{Transport: inProcess, Objects: many, Size: small, Steps: 3, Up: true}
	if err := c.build(&one); err != nil {
		return nil, err
	}
	took := map[string]uint64{}
	for _, h := range c.handlers {
		if h.name == "echo" {
			continue
		}
		debug.FreeOSMemory()
		before := heap()
		peak, end := watch()
		err := direct(h)(one.review)
		end()
		if err != nil {
			return nil, err
		}
		took[h.name] = *peak - min(before, *peak)
	}
	return took, nil
}

// watch looks at the heap again and again until end is called.
func watch() (peak *uint64, end func()) {
	peak = new(uint64)
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			*peak = max(*peak, heap())
			select {
			case <-stop:
				return
			case <-time.After(200 * time.Microsecond):
			}
		}
	}()
	return peak, func() {
		close(stop)
		<-stopped
	}
}

func heap() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
