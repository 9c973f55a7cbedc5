//go:build !unix

package arm

func cpuSeconds() float64 { return 0 }
