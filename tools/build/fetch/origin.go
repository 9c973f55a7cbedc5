package fetch

import (
	"context"
	"errors"
	"fmt"
	"os"
)

// from finds the origin of s and lets use take it.
func (r *run) from(ctx context.Context, s Source, use func(origin) error) error {
	if r.mirror.folder == "" {
		return r.fromHost(ctx, s, use)
	}
	dir, file, err := r.mirror.local(s)
	if err != nil {
		return err
	}
	if dir != "" {
		r.report(fmt.Sprintf("%s: from the folder %s", s.Name, dir))
		return use(folder{dir})
	}
	r.report(fmt.Sprintf("%s: from the archive %s", s.Name, file))
	return useArchive(file, use)
}

// fromHost downloads the archive of s. One that was resumed and then refused is
// brought once more from its beginning, in case its parts do not belong together.
func (r *run) fromHost(ctx context.Context, s Source, use func(origin) error) error {
	d, err := r.download(s)
	if err != nil {
		return err
	}
	err = useDownload(ctx, d, use)
	if isRefusal(err) && d.resumed {
		d.report("the resumed archive is refused: it is brought from its beginning")
		err = useDownload(ctx, d, use)
	}
	return err
}

// useDownload removes an archive that was taken or refused; on other errors it stays.
func useDownload(ctx context.Context, d *download, use func(origin) error) error {
	if err := d.run(ctx); err != nil {
		return err
	}
	err := useArchive(d.part.path, use)
	if err == nil || isRefusal(err) {
		err = errors.Join(err, d.part.remove())
	}
	return err
}

func (r *run) download(s Source) (*download, error) {
	u, err := r.mirror.archiveURL(s)
	if err != nil {
		return nil, err
	}
	return &download{
		url:    u,
		client: r.client,
		limits: r.limits,
		part:   openPartial(r.destination.work(s.Name+".tar.gz.part"), public(u)),
		report: func(line string) { r.report(s.Name + ": " + line) },
	}, nil
}

func useArchive(path string, use func(origin) error) error {
	in, err := os.Open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	return use(archive{in})
}
