package launch

import (
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// seal copies a file into memory that cannot be changed any more, not even by this process. It
// returns errors.ErrUnsupported if the kernel has no such memory, or does not run programs from it
// (vm.memfd_noexec).
func seal(file *os.File) (*os.File, error) {
	if info, err := file.Stat(); err != nil || info.Size() > largest {
		return nil, errors.Join(err, fmt.Errorf("%s has more than %d bytes", file.Name(), largest))
	}
	sealed, err := memory()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errors.ErrUnsupported, err)
	}
	if err := fill(sealed, file); err != nil {
		sealed.Close()
		return nil, err
	}
	return sealed, nil
}

// memory returns a file in memory that can be sealed and run. Kernels before 6.3 do not know the
// flag for running it, and run it without.
func memory() (*os.File, error) {
	const flags = unix.MFD_CLOEXEC | unix.MFD_ALLOW_SEALING
	fd, err := unix.MemfdCreate("strata-plugin", flags|unix.MFD_EXEC)
	if errors.Is(err, unix.EINVAL) {
		fd, err = unix.MemfdCreate("strata-plugin", flags)
	}
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), "strata-plugin"), nil
}

func fill(sealed, file *os.File) error {
	n, err := io.Copy(sealed, io.LimitReader(file, largest+1))
	if err == nil && n > largest {
		err = fmt.Errorf("%s has more than %d bytes", file.Name(), largest)
	}
	if err != nil {
		return err
	}
	const seals = unix.F_SEAL_SEAL | unix.F_SEAL_SHRINK | unix.F_SEAL_GROW | unix.F_SEAL_WRITE
	if _, err := unix.FcntlInt(sealed.Fd(), unix.F_ADD_SEALS, seals); err != nil {
		return fmt.Errorf("seal a copy of %s: %w", file.Name(), err)
	}
	_, err = sealed.Seek(0, io.SeekStart)
	return err
}
