package schema

import "strings"

// CheckTracked reads the content of a tracked file as what its place says it is (DESIGN 3): config.toml, the library's
// switches and genres, a book's state, volumes, patterns, contracts and batch, a chapter's records, summaries, and any
// other JSON file of a book's data. It is nil when the content is sound, and for a place that asks nothing of its content;
// else CodeInvalid with every fault, its line and its column. Ledgers are not asked about: they are rebuilt from their mirror.
func CheckTracked(path string, data []byte) error {
	p := ParsePath(path)
	switch p.Kind {
	case PathReview:
		return checkRecord(path, data, new(Review))
	case PathRecheck:
		return checkRecord(path, data, new(Recheck))
	case PathCommit:
		return checkRecord(path, data, new(Commit))
	case PathOutline:
		return checkRecord(path, data, new(Outline))
	case PathBookState:
		return checkRecord(path, data, new(BookState))
	case PathSummaries:
		return checkSummaries(path, data)
	case PathLibrary:
		return checkLibraryFile(path, data)
	case PathBookData:
		switch {
		case path == BatchPath(p.Book):
			return checkRecord(path, data, new(BatchState))
		case path == VolumesPath(p.Book):
			return Unmarshal(path, data, new(Volumes))
		case path == PatternsPath(p.Book):
			return checkRecord(path, data, new(AuthorPatterns))
		case path == MasterContractPath(p.Book):
			return checkRecord(path, data, new(MasterContract))
		case path == ReviewContractPath(p.Book):
			return checkRecord(path, data, new(ReviewContract))
		case strings.HasPrefix(path, ContractsDir(p.Book)+"/volume-"):
			return checkRecord(path, data, new(VolumeContract))
		case strings.HasSuffix(path, ".json"):
			return Unmarshal(path, data, new(any))
		}
	case PathOther, PathChapter, PathBookFile, PathMirror, PathLedger, PathIgnored:
	}
	return nil
}

func checkRecord(path string, data []byte, v interface{ Validate(file string) []Fault }) error {
	if err := Unmarshal(path, data, v); err != nil {
		return err
	}
	return refused(path, v.Validate(path))
}

func checkLibraryFile(path string, data []byte) error {
	switch path {
	case ConfigPath:
		_, err := ParseConfig(path, data, LibraryScope)
		return err
	case GenrePath(strings.TrimSuffix(strings.TrimPrefix(path, GenresDir+"/"), ".toml")):
		_, err := ParseGenre(path, data)
		return err
	case LibraryStatePath:
		_, faults := ParseLibraryState(path, data)
		return refused(path, faults)
	}
	return nil
}

// checkSummaries takes what the seed takes: any JSON that holds a list of entries, or an empty file.
func checkSummaries(path string, data []byte) error {
	if len(data) == 0 {
		return nil
	}
	if err := Unmarshal(path, data, new(any)); err != nil {
		return err
	}
	if _, ok := ParseSummaries(data); !ok {
		return refused(path, []Fault{{File: path, Rule: "summaries", Msg: Textf("holds no list of summaries")}})
	}
	return nil
}

func refused(path string, faults []Fault) error {
	if len(faults) == 0 {
		return nil
	}
	return Errorf(CodeInvalid, "%s does not hold what it must", path).WithDetails(faults...)
}
