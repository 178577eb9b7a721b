package sample

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"
)

// Name is the title of the sample book.
const Name = "雨夜灯"

//go:embed book
var files embed.FS

// Sample is the book as values.
type Sample struct {
	Name     string
	Settings map[string]string // by file name: 世界观.md, 人物.md, 风格契约.md
	Chapters []Chapter
}

// Chapter is one chapter in the forms that a demonstration needs.
type Chapter struct {
	Number   int
	Title    string
	Outline  []byte   // a novel-outline/v1 document
	Text     string   // the finished text, with its heading
	Broken   string   // chapter 2: a first version with a placeholder and a doubled paragraph; "" elsewhere
	Segments []string // chapter 3: the draft, before it was polished; nil elsewhere
}

//nolint:gochecknoglobals // a table that is never written
var titles = []string{"湿账", "柳津渡", "证词里的空白"}

// Book reads the embedded book.
func Book() Sample {
	s := Sample{Name: Name, Settings: map[string]string{}}
	// The files of this repository have ASCII names, those of a book have the names that the program looks for.
	for file, name := range map[string]string{"world.md": "世界观.md", "people.md": "人物.md", "style.md": "风格契约.md"} {
		s.Settings[name] = read("book/settings/" + file)
	}
	for i, title := range titles {
		id := fmt.Sprintf("%04d", i+1)
		c := Chapter{
			Number: i + 1, Title: title, Outline: []byte(read("book/outlines/" + id + ".json")),
			Text: read("book/chapters/" + id + ".md"), Broken: read("book/chapters/" + id + ".broken.md"),
		}
		for _, e := range list("book/drafts/" + id) {
			c.Segments = append(c.Segments, strings.TrimSpace(read("book/drafts/"+id+"/"+e.Name())))
		}
		s.Chapters = append(s.Chapters, c)
	}
	return s
}

// list gives the files of an embedded folder by name; none when there is no such folder.
func list(dir string) []fs.DirEntry {
	entries, err := files.ReadDir(dir)
	if err != nil {
		return nil
	}
	return entries
}

// read gives an embedded file with plain line ends, whatever a checkout made of them; "" when there is none.
func read(name string) string {
	data, err := files.ReadFile(name)
	if err != nil {
		return ""
	}
	return strings.ReplaceAll(string(data), "\r\n", "\n")
}
