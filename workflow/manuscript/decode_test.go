package manuscript

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"
	"unicode/utf16"

	"golang.org/x/text/encoding/simplifiedchinese"
	"pgregory.net/rapid"

	"git-novel/schema"
)

const prose = "第一章 雨夜\n　　雨下了一整夜，屋檐下的灯笼忽明忽暗。“谁在外面？”沈砚放下茶盏，起身推门。\n　　门外没有人，只有一串湿脚印。\n"

func utf16Bytes(s string, order binary.AppendByteOrder) []byte {
	var b []byte
	for _, u := range utf16.Encode([]rune(s)) {
		b = order.AppendUint16(b, u)
	}
	return b
}

func gb(t *testing.T, s string) []byte {
	t.Helper()
	b, err := simplifiedchinese.GB18030.NewEncoder().Bytes([]byte(s))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestDecode(t *testing.T) {
	t.Parallel()
	rare := prose + "㐀𠮷😀" // four-byte codes of GB18030, surrogate pairs of UTF-16
	tests := []struct {
		name string
		data []byte
		want string
		enc  Encoding
	}{
		{"utf-8", []byte(rare), rare, Encoding{Charset: UTF8}},
		{"utf-8 bom", append([]byte("\xef\xbb\xbf"), rare...), rare, Encoding{Charset: UTF8, BOM: true}},
		{"utf-16le bom", append([]byte{0xff, 0xfe}, utf16Bytes(rare, binary.LittleEndian)...), rare, Encoding{Charset: UTF16LE, BOM: true}},
		{"utf-16be bom", append([]byte{0xfe, 0xff}, utf16Bytes(rare, binary.BigEndian)...), rare, Encoding{Charset: UTF16BE, BOM: true}},
		{"utf-16le", utf16Bytes(rare, binary.LittleEndian), rare, Encoding{Charset: UTF16LE}},
		{"utf-16be", utf16Bytes(rare, binary.BigEndian), rare, Encoding{Charset: UTF16BE}},
		{"utf-16le latin", utf16Bytes("Chapter 1\nIt rained.\n", binary.LittleEndian), "Chapter 1\nIt rained.\n", Encoding{Charset: UTF16LE}},
		{"utf-16le without line ends", utf16Bytes("雨下了一整夜屋檐下的灯笼", binary.LittleEndian), "雨下了一整夜屋檐下的灯笼", Encoding{Charset: UTF16LE}},
		{"gb18030", gb(t, rare), rare, Encoding{Charset: GB18030}},
		{"gb18030 short", gb(t, "雨夜"), "雨夜", Encoding{Charset: GB18030}},
		{"gb18030 replacement character", gb(t, "雨\ufffd夜"), "雨\ufffd夜", Encoding{Charset: GB18030}},
		{"euro of code page 936", append(gb(t, "价"), 0x80), "价€", Encoding{Charset: GB18030}},
		{"line ends", []byte("a\r\nb\rc\n\r\r\n"), "a\nb\nc\n\n\n", Encoding{Charset: UTF8, CRLF: 2, CR: 2}},
		{"empty", nil, "", Encoding{Charset: UTF8}},
		{"inner bom stays", []byte("a\ufeffb"), "a\ufeffb", Encoding{Charset: UTF8}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, enc, err := Decode(tt.data)
			if err != nil {
				t.Fatal(err)
			}
			if got != tt.want || enc != tt.enc {
				t.Errorf("got %q %+v\nwant %q %+v", got, enc, tt.want, tt.enc)
			}
		})
	}
}

func TestDecodeRefuses(t *testing.T) {
	t.Parallel()
	big5 := []byte{0xb3, 0x6f, 0xac, 0x4f, 0xa4, 0x40, 0xad, 0xd3, 0xab, 0x44, 0xb1, 0x60, 0xaa, 0xf8, 0xaa, 0xba} // 這是一個非常長的
	tests := []struct {
		name string
		data []byte
		line int
		rule string
		msg  string
	}{
		{"binary", []byte("\x7fELF\x00\x01\x02\x03"), 1, "text-binary", "NUL"},
		{"NUL in UTF-8", []byte("甲\n乙\x00丙"), 2, "text-binary", "NUL"},
		{"broken UTF-8", []byte(prose + prose + "坏\xe5\x9d\n"), 7, "text-undecodable", "UTF-8"},
		{"broken UTF-8 behind a mark", []byte("\xef\xbb\xbf甲\n\xff"), 2, "text-undecodable", "offset 7"},
		{"odd UTF-16", append(append([]byte{0xff, 0xfe}, utf16Bytes("甲\n乙", binary.LittleEndian)...), 0x41), 2, "text-undecodable", "offset 8"},
		{"lone surrogate", append([]byte{0xff, 0xfe}, 0x2d, 0x4e, 0x00, 0xd8, 0x2d, 0x4e), 1, "text-undecodable", "offset 4"},
		{"unmapped code", append(gb(t, prose), 0xaa, 0xa1), 4, "text-undecodable", "GB18030"},
		{"cut code", append(gb(t, prose), 0xb0), 4, "text-undecodable", "GB18030"},
		{"not Chinese", bytes.Repeat(big5, 8), 0, "", "0x"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			text, _, err := Decode(tt.data)
			if schema.CodeOf(err) != schema.CodeInvalid {
				t.Fatalf("got %q, error %v", text, err)
			}
			if tt.rule == "" {
				return
			}
			var e *schema.Error
			if !asError(err, &e) || len(e.Details) != 1 {
				t.Fatalf("no details: %v", err)
			}
			d := e.Details[0]
			if d.Line != tt.line || d.Rule != tt.rule || !strings.Contains(err.Error(), tt.msg) {
				t.Errorf("got line %d rule %s: %v", d.Line, d.Rule, err)
			}
		})
	}
	if _, _, err := Decode(make([]byte, MaxBytes+1)); schema.CodeOf(err) != schema.CodeInvalid {
		t.Errorf("too large: %v", err)
	}
}

// Every text comes back from every encoding that can write it.
func TestDecodeRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := prose + rapid.StringOf(rapid.RuneFrom([]rune("雨夜灯沈砚，。“”\n　 abc1㐀𠮷é"))).Draw(t, "text")
		for _, data := range [][]byte{
			[]byte(text), append([]byte("\xef\xbb\xbf"), text...), utf16Bytes("\ufeff"+text, binary.LittleEndian),
			utf16Bytes("\ufeff"+text, binary.BigEndian), utf16Bytes(text, binary.LittleEndian),
		} {
			got, _, err := Decode(data)
			if err != nil || got != text {
				t.Fatalf("%q: %v", got, err)
			}
		}
		b, err := simplifiedchinese.GB18030.NewEncoder().Bytes([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if got, _, err := Decode(b); err != nil || got != text {
			t.Fatalf("GB18030 %q: %v", got, err)
		}
	})
}

// Whatever the bytes are, Decode either refuses them or keeps every one: encoding the text again gives them back.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(prose))
	f.Add([]byte("\xff\xfe\x2d\x4e"))
	f.Add([]byte{0xb0, 0xa1, 0x81, 0x30, 0x81, 0x30, 0x80})
	f.Fuzz(func(t *testing.T, data []byte) {
		text, enc, err := Decode(data)
		if err != nil || enc.CRLF+enc.CR > 0 {
			return
		}
		var back []byte
		switch enc.Charset {
		case UTF8:
			back = []byte(text)
			if enc.BOM {
				back = append([]byte("\xef\xbb\xbf"), back...)
			}
		case UTF16LE, UTF16BE:
			order := binary.AppendByteOrder(binary.LittleEndian)
			if enc.Charset == UTF16BE {
				order = binary.BigEndian
			}
			if enc.BOM {
				text = "\ufeff" + text
			}
			back = utf16Bytes(text, order)
		case GB18030:
			return // some characters have two codes, so the bytes may differ though the text does not
		}
		if !bytes.Equal(back, data) {
			t.Errorf("%q became %q", data, back)
		}
	})
}
