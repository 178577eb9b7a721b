package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"

	"github.com/rogpeppe/go-internal/testscript"
)

// encodeFile writes a text in another encoding: encode gb18030|utf16le|utf16be|bom|crlf SRC DST.
func encodeFile(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: encode CHARSET SRC DST")
	}
	data := []byte(ts.ReadFile(args[1]))
	var e encoding.Encoding
	switch args[0] {
	case "gb18030":
		e = simplifiedchinese.GB18030
	case "utf16le":
		e = unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
	case "utf16be":
		e = unicode.UTF16(unicode.BigEndian, unicode.UseBOM)
	case "bom":
		data = append([]byte("\xef\xbb\xbf"), data...)
	case "crlf":
		data = bytes.ReplaceAll(data, []byte("\n"), []byte("\r\n"))
	default:
		ts.Fatalf("unknown charset %s", args[0])
	}
	if e != nil {
		out, err := e.NewEncoder().Bytes(data)
		ts.Check(err)
		data = out
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), data, 0o644))
}

// joinedText checks that the chapters of a book, in the order of `chapter list --json` in LIST, are the text SOURCE byte for
// byte: joined LIST ROOT SOURCE.
func joinedText(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: joined LIST ROOT SOURCE")
	}
	var rows []struct{ Path string }
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &rows))
	var all strings.Builder
	for _, r := range rows {
		data, err := os.ReadFile(filepath.Join(ts.MkAbs(args[1]), filepath.FromSlash(r.Path)))
		ts.Check(err)
		all.Write(data)
	}
	got, want := all.String(), ts.ReadFile(args[2])
	if (got == want) == neg {
		ts.Fatalf("the chapters together (negated: %v) have %d bytes, the source %d:\n%s\n--- source\n%s", neg, len(got), len(want), got, want)
	}
}

// fillFile writes a file of so many bytes: fill FILE BYTES.
func fillFile(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: fill FILE BYTES")
	}
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	line := []byte("雨打在西市的青石板上，沈砚把灯芯拨亮了些。\n")
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), bytes.Repeat(line, n/len(line)+1)[:n], 0o644))
}
