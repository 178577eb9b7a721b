package text

// zhDiff holds the labels of repo/diff.
var zhDiff = map[string]string{
	"Changes":                 "改动",
	"before":                  "原文",
	"after":                   "新文",
	"the texts are identical": "两个文本完全相同",
	"the prose is identical; only its layout changed": "正文相同，只有排版不同",

	"typo":              "错字",
	"punctuation":       "标点",
	"wording":           "措辞",
	"sentence added":    "增句",
	"sentence removed":  "删句",
	"sentence moved":    "移句",
	"paragraph added":   "增段",
	"paragraph removed": "删段",
	"paragraph moved":   "移段",

	"byte order mark":           "字节顺序标记",
	"line end":                  "换行符",
	"trailing blanks":           "行尾空白",
	"indentation":               "缩进",
	"empty lines":               "空行",
	"line end of the last line": "末行换行",
	"paragraph break":           "分段",
	"blanks between sentences":  "句间空白",

	"paragraph %d":             "第%d段",
	"paragraphs %d–%d":         "第%d–%d段",
	"unchanged paragraphs: %d": "未改的段落：%d",
	"moved to paragraph %d":    "移到第%d段",
	"moved from paragraph %d":  "移自第%d段",
	"layout":                   "排版",
	"%d×":                      "%d 处",
	"edits: %d, paragraphs changed: %d, characters inserted: %d, deleted: %d": "改动 %d 处，涉及 %d 段，增 %d 字，删 %d 字",
	"characters moved: %d":                     "移动 %d 字",
	"characters: %d → %d, paragraphs: %d → %d": "字数 %d → %d，段数 %d → %d",
}
