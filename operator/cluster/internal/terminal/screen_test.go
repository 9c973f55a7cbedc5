package terminal

import (
	"os"
	"path/filepath"
	"testing"
)

func TestBar(t *testing.T) {
	for _, test := range []struct {
		reason        string
		plain         bool
		n, most, room int
		want          string
	}{
		{"the largest number", false, 7, 7, 10, "██████████"},
		{"a half", false, 5, 10, 10, "█████"},
		{"parts of a character", false, 3, 16, 10, "█▉"},
		{"a number that is very small", false, 1, 1_000_000, 10, "▏"},
		{"a small number in ASCII", true, 1, 1_000_000, 10, "#"},
		{"a half in ASCII", true, 5, 10, 10, "#####"},
		{"more room than bars take", true, 1, 1, 1000, "########################################"},
		{"too little room", false, 7, 7, 7, ""},
		{"no objects", false, 0, 7, 10, ""},
	} {
		t.Run(test.reason, func(t *testing.T) {
			if got := (Screen{Columns: 80, Plain: test.plain}).Bar(test.n, test.most, test.room); got != test.want {
				t.Errorf("bar %q, want %q", got, test.want)
			}
		})
	}
}

// TestFilesAreNoScreens opens a file, as a redirected output is.
func TestFilesAreNoScreens(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if got := Of(file); got != (Screen{}) {
		t.Errorf("screen %+v", got)
	}
}

func TestLocales(t *testing.T) {
	for _, test := range []struct {
		reason string
		env    map[string]string
		want   bool
	}{
		{"none", nil, false},
		{"the language", map[string]string{"LANG": "en_US.UTF-8"}, true},
		{"the C locale for all", map[string]string{"LC_ALL": "C", "LANG": "en_US.UTF-8"}, false},
		{"another spelling", map[string]string{"LC_CTYPE": "C.utf8"}, true},
	} {
		t.Run(test.reason, func(t *testing.T) {
			if got := isUTF8(func(name string) string { return test.env[name] }); got != test.want {
				t.Errorf("UTF-8: %t", got)
			}
		})
	}
}
