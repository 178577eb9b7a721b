package schema

import (
	"fmt"
	"path/filepath"
	"strings"
)

// The tracked places of a library (DESIGN 3). Every path of this package is slash-separated and relative to the library
// root; this file is the only one that spells them.
const (
	NovelsDir        = "novels"
	DataDir          = ".novel-writer"
	ConfigPath       = DataDir + "/config.toml"
	LibraryStatePath = DataDir + "/state.json"
	GenresDir        = DataDir + "/genres"
	AIFlavorPath     = DataDir + "/ai-flavor.txt"
	DraftsDir        = DataDir + "/drafts"
	SummariesDir     = DataDir + "/summaries"
	BooksDir         = DataDir + "/books"
	MaterialDir      = NovelsDir + "/" + materialName // outline material of the older plugin, not a book

	// Ignored by git.
	TmpDir       = DataDir + "/tmp"
	IndexDBPath  = DataDir + "/index.db"
	EmbeddingDir = DataDir + "/embedding" // left by the older plugin
	OldTrashDir  = DataDir + "/trash"     // left by the older plugin
)

// materialName is the folder of novels/ that the seeds keep outline material in.
const materialName = "创作资料"

// Suffixes of the two files of a draft (seed novel_draft).
const (
	MirrorSuffix = "__draft.md"
	LedgerSuffix = "__state.json"
)

// BookDir is where the chapters of a book lie.
func BookDir(b BookName) string { return NovelsDir + "/" + string(b) }

// ChapterPath is the path of a chapter file of that name.
func ChapterPath(b BookName, file string) string { return BookDir(b) + "/" + file }

// BookDataDir is where the records of a book lie.
func BookDataDir(b BookName) string { return BooksDir + "/" + string(b) }

// BookStatePath is the file that makes a book exist.
func BookStatePath(b BookName) string { return BookDataDir(b) + "/state.json" }

// VolumesPath is the file of the volumes.
func VolumesPath(b BookName) string { return BookDataDir(b) + "/volumes.json" }

// PatternsPath is the file of the learned author patterns.
func PatternsPath(b BookName) string { return BookDataDir(b) + "/patterns.json" }

// BatchPath is the file of the running or last batch.
func BatchPath(b BookName) string { return BookDataDir(b) + "/batch_state.json" }

// SettingsDir is where the author's world, characters, rules and style lie.
func SettingsDir(b BookName) string { return BookDataDir(b) + "/settings" }

// StyleContractPath is the author's style contract.
func StyleContractPath(b BookName) string { return SettingsDir(b) + "/风格契约.md" }

// ContractsDir is where the story contracts lie.
func ContractsDir(b BookName) string { return BookDataDir(b) + "/contracts" }

// MasterContractPath is the contract of the whole story.
func MasterContractPath(b BookName) string { return ContractsDir(b) + "/master.json" }

// ReviewContractPath is what reviews of the book must look at.
func ReviewContractPath(b BookName) string { return ContractsDir(b) + "/review.json" }

// VolumeContractPath is the contract of volume n.
func VolumeContractPath(b BookName, n int) string {
	return fmt.Sprintf("%s/volume-%02d.json", ContractsDir(b), n)
}

// RecordsDir is where the record folders of the chapters lie.
func RecordsDir(b BookName) string { return BookDataDir(b) + "/chapters" }

// RecordDir is the record folder of one chapter; id is ChapterKey.ID.
func RecordDir(b BookName, id string) string { return RecordsDir(b) + "/" + id }

// Names of the record files.
const (
	OutlineFile = "outline.json"
	ReviewFile  = "review.json"
	RecheckFile = "recheck.json"
	CommitFile  = "commit.json"
)

// OutlinePath is the outline of a chapter.
func OutlinePath(b BookName, id string) string { return RecordDir(b, id) + "/" + OutlineFile }

// ReviewPath is the review that counts.
func ReviewPath(b BookName, id string) string { return RecordDir(b, id) + "/" + ReviewFile }

// RecheckPath is the independent anti-AI re-check.
func RecheckPath(b BookName, id string) string { return RecordDir(b, id) + "/" + RecheckFile }

// CommitPath is the accepted chapter commit.
func CommitPath(b BookName, id string) string { return RecordDir(b, id) + "/" + CommitFile }

// DraftDir is where the mirrors and ledgers of a book lie.
func DraftDir(b BookName) string { return DraftsDir + "/" + string(b) }

// MirrorPath is the draft mirror of a draft key.
func MirrorPath(b BookName, key string) string { return DraftDir(b) + "/" + key + MirrorSuffix }

// LedgerPath is the ledger of a draft key.
func LedgerPath(b BookName, key string) string { return DraftDir(b) + "/" + key + LedgerSuffix }

// SummariesPath is the summaries file of a book.
func SummariesPath(b BookName) string { return SummariesDir + "/" + string(b) + ".json" }

// TmpChapterDir is the work area of one chapter, ignored by git.
func TmpChapterDir(b BookName, id string) string { return TmpDir + "/" + string(b) + "/" + id }

// PathKind says what a path of a library is.
type PathKind int

// The kinds of paths.
const (
	PathOther    PathKind = iota // not ours, or of no kind below
	PathChapter                  // novels/<book>/<file> whose name is a chapter file's
	PathBookFile                 // any other file below novels/<book>/
	PathLibrary                  // library-wide data: config, state, genres, ai-flavor
	PathMirror
	PathLedger
	PathSummaries
	PathBookState
	PathBookData // any other file below books/<book>/
	PathOutline
	PathReview
	PathRecheck
	PathCommit
	PathIgnored // below tmp/, or another thing that git ignores
)

// PathInfo is a path taken apart.
type PathInfo struct {
	Kind PathKind
	Book BookName // "" for PathOther, PathLibrary and PathIgnored
	ID   string   // chapter id of a record, as in its folder
	Name string   // file name of a chapter, draft key of a mirror or ledger
}

// IsRecord reports a record of a chapter.
func (p PathInfo) IsRecord() bool {
	switch p.Kind {
	case PathOutline, PathReview, PathRecheck, PathCommit:
		return true
	case PathOther, PathChapter, PathBookFile, PathLibrary, PathMirror, PathLedger, PathSummaries, PathBookState, PathBookData,
		PathIgnored:
	}
	return false
}

// ParsePath takes a slash-separated path relative to the library root apart. It says where the file lies, not whether the
// book exists; a name that no book can have is PathOther.
func ParsePath(path string) PathInfo {
	parts := strings.Split(path, "/")
	switch parts[0] {
	case NovelsDir:
		return parseNovelsPath(parts[1:])
	case DataDir:
		return parseDataPath(parts[1:])
	}
	return PathInfo{}
}

func parseNovelsPath(parts []string) PathInfo {
	if len(parts) < 2 || !IsBookName(parts[0]) {
		return PathInfo{}
	}
	p := PathInfo{Kind: PathBookFile, Book: BookName(parts[0]), Name: parts[len(parts)-1]}
	if len(parts) == 2 && isChapterFile(parts[1]) {
		p.Kind = PathChapter
	}
	return p
}

func parseDataPath(parts []string) PathInfo {
	if len(parts) == 0 {
		return PathInfo{}
	}
	rest := parts[1:]
	switch parts[0] {
	case "tmp", "index.db", "embedding", "trash":
		return PathInfo{Kind: PathIgnored}
	case "drafts":
		if len(rest) != 2 || !IsBookName(rest[0]) {
			return PathInfo{}
		}
		p := PathInfo{Book: BookName(rest[0]), Name: rest[1]}
		if key, ok := strings.CutSuffix(rest[1], MirrorSuffix); ok && key != "" {
			p.Kind, p.Name = PathMirror, key
		} else if key, ok := strings.CutSuffix(rest[1], LedgerSuffix); ok && key != "" {
			p.Kind, p.Name = PathLedger, key
		} else {
			p.Kind = PathBookData
		}
		return p
	case "summaries":
		if name, ok := strings.CutSuffix(strings.Join(rest, "/"), ".json"); ok && IsBookName(name) {
			return PathInfo{Kind: PathSummaries, Book: BookName(name), Name: rest[0]}
		}
		return PathInfo{}
	case "books":
		return parseBookDataPath(rest)
	}
	return PathInfo{Kind: PathLibrary, Name: parts[len(parts)-1]}
}

func parseBookDataPath(parts []string) PathInfo {
	if len(parts) < 2 || !IsBookName(parts[0]) {
		return PathInfo{}
	}
	p := PathInfo{Kind: PathBookData, Book: BookName(parts[0]), Name: parts[len(parts)-1]}
	if len(parts) == 2 && parts[1] == "state.json" {
		p.Kind = PathBookState
	}
	if len(parts) == 4 && parts[1] == "chapters" {
		p.ID = parts[2]
		switch parts[3] {
		case OutlineFile:
			p.Kind = PathOutline
		case ReviewFile:
			p.Kind = PathReview
		case RecheckFile:
			p.Kind = PathRecheck
		case CommitFile:
			p.Kind = PathCommit
		}
	}
	return p
}

// InsideBookDir reports whether target is the folder of a book's chapters or lies in it (seed novel_draft,
// isInsideBookDir). Both paths are of the operating system and absolute; of one that is not, nothing can be said and the
// answer is false. Links are not followed: whoever opens the file must refuse them.
func InsideBookDir(root string, book BookName, target string) bool {
	if !filepath.IsAbs(root) || !filepath.IsAbs(target) {
		return false
	}
	dir := filepath.Join(root, NovelsDir, string(book))
	target = filepath.Clean(target)
	return target == dir || strings.HasPrefix(target, dir+string(filepath.Separator))
}
