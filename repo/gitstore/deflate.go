package gitstore

import (
	"bytes"
	"runtime"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/zlib"
)

// deflater lends out zlib writers, one for each processor: they are large, and more would not be faster.
type deflater struct{ free chan *zipper }

// zipper is one reusable zlib writer.
type zipper struct {
	z    *zlib.Writer
	f    *flate.Writer
	buf  bytes.Buffer
	home *deflater
}

func newDeflater() *deflater {
	n := runtime.GOMAXPROCS(0)
	d := &deflater{free: make(chan *zipper, n)}
	for range n {
		d.free <- &zipper{home: d}
	}
	return d
}

// take waits for a free writer.
func (d *deflater) take() *zipper { return <-d.free }

// done gives the writer back.
func (z *zipper) done() { z.home.free <- z }

// deflate compresses at level 1: on prose it is within a tenth of git's default in size and several times as fast. The
// result is valid until the writer is used again.
func (z *zipper) deflate(head, data []byte) []byte {
	z.buf.Reset()
	if z.z == nil {
		// The level is valid, so there is no error.
		z.z, _ = zlib.NewWriterLevel(&z.buf, zlib.BestSpeed)
	} else {
		z.z.Reset(&z.buf)
	}
	// A bytes.Buffer cannot fail.
	_, _ = z.z.Write(head)
	_, _ = z.z.Write(data)
	_ = z.z.Close()
	return z.buf.Bytes()
}

// segment compresses a text so that it stands alone between others of one stream: it ends at a byte and refers to nothing
// before it. The result is valid until the writer is used again.
func (z *zipper) segment(data []byte) []byte {
	z.buf.Reset()
	if z.f == nil {
		// The level is valid, so there is no error.
		z.f, _ = flate.NewWriter(&z.buf, flate.BestSpeed)
	} else {
		z.f.Reset(&z.buf)
	}
	// A bytes.Buffer cannot fail.
	_, _ = z.f.Write(data)
	_ = z.f.Flush()
	return z.buf.Bytes()
}
