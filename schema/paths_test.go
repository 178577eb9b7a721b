package schema

import "testing"

func TestPaths(t *testing.T) {
	t.Parallel()
	const b = BookName("雨夜灯")
	tests := []struct {
		path string
		want string
		info PathInfo
	}{
		{ChapterPath(b, "第03章 雨夜.md"), "novels/雨夜灯/第03章 雨夜.md", PathInfo{PathChapter, b, "", "第03章 雨夜.md"}},
		{ChapterPath(b, "笔记.txt"), "novels/雨夜灯/笔记.txt", PathInfo{PathBookFile, b, "", "笔记.txt"}},
		{ChapterPath(b, "图/第03章.md"), "novels/雨夜灯/图/第03章.md", PathInfo{PathBookFile, b, "", "第03章.md"}},
		{BookStatePath(b), ".novel-writer/books/雨夜灯/state.json", PathInfo{PathBookState, b, "", "state.json"}},
		{VolumesPath(b), ".novel-writer/books/雨夜灯/volumes.json", PathInfo{PathBookData, b, "", "volumes.json"}},
		{PatternsPath(b), ".novel-writer/books/雨夜灯/patterns.json", PathInfo{PathBookData, b, "", "patterns.json"}},
		{BatchPath(b), ".novel-writer/books/雨夜灯/batch_state.json", PathInfo{PathBookData, b, "", "batch_state.json"}},
		{StyleContractPath(b), ".novel-writer/books/雨夜灯/settings/风格契约.md", PathInfo{PathBookData, b, "", "风格契约.md"}},
		{MasterContractPath(b), ".novel-writer/books/雨夜灯/contracts/master.json", PathInfo{PathBookData, b, "", "master.json"}},
		{VolumeContractPath(b, 3), ".novel-writer/books/雨夜灯/contracts/volume-03.json", PathInfo{PathBookData, b, "", "volume-03.json"}},
		{ReviewContractPath(b), ".novel-writer/books/雨夜灯/contracts/review.json", PathInfo{PathBookData, b, "", "review.json"}},
		{OutlinePath(b, "0003"), ".novel-writer/books/雨夜灯/chapters/0003/outline.json", PathInfo{PathOutline, b, "0003", OutlineFile}},
		{ReviewPath(b, "0003"), ".novel-writer/books/雨夜灯/chapters/0003/review.json", PathInfo{PathReview, b, "0003", ReviewFile}},
		{RecheckPath(b, "番外·雨夜"), ".novel-writer/books/雨夜灯/chapters/番外·雨夜/recheck.json", PathInfo{PathRecheck, b, "番外·雨夜", RecheckFile}},
		{CommitPath(b, "0003"), ".novel-writer/books/雨夜灯/chapters/0003/commit.json", PathInfo{PathCommit, b, "0003", CommitFile}},
		{MirrorPath(b, "第03章"), ".novel-writer/drafts/雨夜灯/第03章__draft.md", PathInfo{PathMirror, b, "", "第03章"}},
		{LedgerPath(b, "第03章"), ".novel-writer/drafts/雨夜灯/第03章__state.json", PathInfo{PathLedger, b, "", "第03章"}},
		{SummariesPath(b), ".novel-writer/summaries/雨夜灯.json", PathInfo{PathSummaries, b, "", "雨夜灯.json"}},
		{ConfigPath, ".novel-writer/config.toml", PathInfo{PathLibrary, "", "", "config.toml"}},
		{LibraryStatePath, ".novel-writer/state.json", PathInfo{PathLibrary, "", "", "state.json"}},
		{TmpChapterDir(b, "0003"), ".novel-writer/tmp/雨夜灯/0003", PathInfo{Kind: PathIgnored}},
		{IndexDBPath, ".novel-writer/index.db", PathInfo{Kind: PathIgnored}},
		{MaterialDir + "/雨夜灯/剧情大纲.md", "novels/创作资料/雨夜灯/剧情大纲.md", PathInfo{}},
		{"README.md", "README.md", PathInfo{}},
		{NovelsDir, "novels", PathInfo{}},
		{"novels/雨夜灯", "novels/雨夜灯", PathInfo{}},
		{"novels/../x/第01章.md", "novels/../x/第01章.md", PathInfo{}},
		{DataDir, ".novel-writer", PathInfo{}},
		{BooksDir + "/a:b/state.json", ".novel-writer/books/a:b/state.json", PathInfo{}},
		{DraftDir(b) + "/__draft.md", ".novel-writer/drafts/雨夜灯/__draft.md", PathInfo{PathBookData, b, "", "__draft.md"}},
	}
	for _, tt := range tests {
		if tt.path != tt.want {
			t.Errorf("path %s, want %s", tt.path, tt.want)
		}
		if got := ParsePath(tt.path); got != tt.info {
			t.Errorf("ParsePath(%s) = %+v, want %+v", tt.path, got, tt.info)
		}
		if got := ParsePath(tt.path); got.IsRecord() != (got.ID != "" && got.Kind != PathBookData) {
			t.Errorf("IsRecord(%s) = %v", tt.path, got.IsRecord())
		}
	}
}

func TestInsideBookDir(t *testing.T) {
	t.Parallel()
	tests := []struct {
		row, root, target string
		want              bool
	}{
		{"D38", "/lib", "/lib/novels/雨夜灯", true},
		{"D39", "/lib", "/lib/novels/雨夜灯/第01章.md", true},
		{"D40", "/lib", "/lib/novels/雨夜灯甲/x", false},
		{"D42", "lib", "lib/novels/雨夜灯/x", false},
		{"dots", "/lib/", "/lib/.novel-writer/../novels/雨夜灯/x", true},
		{"mirror", "/lib", "/lib/.novel-writer/drafts/雨夜灯/第03章__draft.md", false},
		{"outside", "/lib", "/other/novels/雨夜灯/x", false},
	}
	for _, tt := range tests {
		t.Run(tt.row, func(t *testing.T) {
			t.Parallel()
			if got := InsideBookDir(tt.root, "雨夜灯", tt.target); got != tt.want {
				t.Errorf("got %v", got)
			}
		})
	}
}
