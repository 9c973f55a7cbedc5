package host

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// TestEnds checks that the pause before the next start doubles, and that a number of ends in a
// row is a crash loop. A process that ran long enough resets both.
func TestEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, why := newEnds(Restart{First: time.Second, Longest: 8 * time.Second, Limit: 3, Cooldown: time.Minute}), errors.New("why")
		add := func(usual time.Duration, count int, isLoop bool) {
			t.Helper()
			e.add(why)
			pause := time.Until(e.next)
			if pause < usual/2 || pause > usual*3/2 || e.count != count || e.isLoop() != isLoop || e.last != why {
				t.Errorf("end %d of %d: the pause is %s, a crash loop: %v, after %v", e.count, count, pause, e.isLoop(), e.last)
			}
		}
		add(time.Second, 1, false)
		add(2*time.Second, 2, false)
		add(4*time.Second, 3, true)
		time.Sleep(time.Minute - 1)
		if !e.isLoop() {
			t.Error("the crash loop is over before its time")
		}
		time.Sleep(time.Nanosecond)
		if e.isLoop() {
			t.Error("the crash loop is not over")
		}
		add(8*time.Second, 4, true)
		e.forget()
		if e.isLoop() {
			t.Error("the crash loop was not forgotten")
		}
		add(time.Second, 1, false)
	})
}
