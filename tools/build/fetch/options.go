package fetch

import (
	"cmp"
	"net/http"
	"time"
)

// MirrorVariable names the environment variable whose value callers pass on as
// Options.Mirror.
const MirrorVariable = "STRATA_MIRROR"

// Options select the sources, their origin and the destination.
type Options struct {
	// Sources is the path of the file of pins.
	Sources string
	// Dest is the folder in which every source becomes a folder of its own name.
	Dest string
	// Only names the sources to bring; empty means all.
	Only []string
	// Mirror replaces the code host. It is an https URL with archives at
	// <repository>/<commit>.tar.gz below it, or a local folder with the same layout or with
	// unpacked trees as <name>/. Empty means the code host.
	Mirror string
	// Limits bound the input; a field that is zero takes its default.
	Limits Limits
	// Report receives progress, a line at a time and without line ends; nil is silent.
	Report func(line string)
	// Client makes the requests; nil means one with the default transport. Its
	// redirect policy and its timeout are replaced by those of Limits.
	Client *http.Client
	// LoopbackHTTP allows plain http to addresses of this machine. For tests.
	LoopbackHTTP bool
}

// Limits bounds everything that an origin decides.
type Limits struct {
	// ArchiveBytes bounds the packed archive.
	ArchiveBytes int64
	// UnpackedBytes bounds the unpacked size of an archive, with the files that are not selected,
	// and separately the sum of the selected files.
	UnpackedBytes int64
	// Files bounds the entries of an archive or a folder, selected or not.
	Files int
	// Redirects bounds the hops of one request.
	Redirects int
	// Attempts bounds the requests for one archive. Each continues where the last one broke off.
	Attempts int
	// Pause is the time before the second attempt; later ones wait longer.
	Pause time.Duration
	// Stall is a span of time in which at least StallBytes must arrive.
	Stall time.Duration
	// StallBytes is the least progress that counts within Stall.
	StallBytes int64
}

func (l Limits) withDefaults() Limits {
	return Limits{
		ArchiveBytes:  cmp.Or(l.ArchiveBytes, 1<<30),
		UnpackedBytes: cmp.Or(l.UnpackedBytes, 8<<30),
		Files:         cmp.Or(l.Files, 500_000),
		Redirects:     cmp.Or(l.Redirects, 5),
		Attempts:      cmp.Or(l.Attempts, 5),
		Pause:         cmp.Or(l.Pause, time.Second),
		Stall:         cmp.Or(l.Stall, time.Minute),
		StallBytes:    cmp.Or(l.StallBytes, 16<<10),
	}
}

func (o Options) withDefaults() Options {
	o.Limits = o.Limits.withDefaults()
	if o.Report == nil {
		o.Report = func(string) {}
	}
	if o.Client == nil {
		o.Client = &http.Client{}
	}
	return o
}
