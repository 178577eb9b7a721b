package workflow

import (
	"context"
	"path"
	"time"

	"git-novel/schema"
)

// finalMark appends 定稿落盘 to the mirror of a chapter that has just entered, when the chat-writing mode is on (seed
// novel_draft). A mirror with segments gets the mark alone, one without gets the text too, so that whoever opens it finds
// something. The chapter is saved whatever happens here: a failure only leaves an event.
func (s *Session) finalMark(ctx context.Context, r *SaveResult, text []byte) {
	st, err := s.switches()
	if err != nil || !st.ChatWritingOn() {
		return
	}
	key := schema.ChapterKey(r.Key)
	_, err = s.lib.AppendMarker(ctx, schema.BookName(r.Book), r.Key, func(mirror []byte, at time.Time) []byte {
		return schema.FinalBlock(mirror, key, path.Base(r.Path), r.Text.Chars, string(text), at)
	})
	if err != nil {
		s.logEvent(EventSilentSkip, schema.FinalWriteSkipped+" "+r.Path+": "+err.Error())
	}
}
