package main

import (
	"slices"
	"time"
)

// median runs once to warm caches, then repeat times, and gives the middle time in nanoseconds.
func median(repeat int, once func() time.Duration) float64 {
	once()
	times := make([]time.Duration, repeat)
	for i := range times {
		times[i] = once()
	}
	slices.Sort(times)
	return float64(times[(repeat-1)/2]+times[repeat/2]) / 2
}
