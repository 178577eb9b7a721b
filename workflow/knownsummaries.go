package workflow

import (
	"strings"

	"git-novel/repo/index"
	"git-novel/schema"
)

// summariesPart is the summaries of a book as they lie on disk: a long serial's file is not parsed for every question.
type summariesPart struct{}

func (summariesPart) name() string { return "summaries" }

// mark is the hash of the file, and its time and size when those are certain: then the file is not even read.
func (summariesPart) mark(k *known) (string, error) {
	path := schema.SummariesPath(k.name)
	stat := k.s.fileMark(path)
	old, err := k.book.Mark(summariesPart{}.name())
	if err != nil {
		return "", err
	}
	if stat != "" && strings.HasSuffix(old, " "+stat) {
		return old, nil
	}
	data, err := k.s.lib.ReadFile(path)
	if schema.CodeOf(err) == schema.CodeNotFound {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return schema.HashBlob(data).String() + " " + stat, nil
}

func (p summariesPart) refresh(k *known, old, now string) error {
	hash := func(s string) string {
		h, _, _ := strings.Cut(s, " ")
		return h
	}
	if hash(old) == hash(now) {
		return nil
	}
	entries, err := k.s.readSummaries(k.name)
	if err != nil {
		return err
	}
	list, err := k.book.Range(thingSummary, 0, endPos, 0, false)
	if err != nil {
		return err
	}
	have := make(map[string]string, len(list))
	for _, x := range list {
		have[x.Key] = string(x.Data)
	}
	for _, e := range schema.FoldSummaries(entries) {
		slot, ok := schema.SummaryKey(e.Chapter)
		if !ok {
			continue
		}
		data, err := schema.MarshalCompact(e)
		if err != nil {
			return err
		}
		was, known := have[slot]
		delete(have, slot)
		if known && was == string(data) {
			continue
		}
		if err := k.book.Put(index.Thing{Kind: thingSummary, Key: slot, Data: data}); err != nil {
			return err
		}
	}
	for slot := range have {
		if err := k.book.Drop(thingSummary, slot); err != nil {
			return err
		}
	}
	return nil
}

// summary gives the summary of a chapter, and whether it has one.
func (k *known) summary(key schema.ChapterKey) (e schema.SummaryEntry, ok bool, err error) {
	slot, named := schema.SummaryKey(string(key))
	if !named {
		return e, false, nil
	}
	x, ok, err := k.book.Get(thingSummary, slot)
	if err == nil && ok {
		err = decode(x, &e)
	}
	return e, ok, err
}
