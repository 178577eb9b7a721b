package text

// zhLibrary is the Chinese of what the commands about the library as a whole say: init, import, backup, verify.
var zhLibrary = map[string]string{
	// init
	"what lies in %s cannot be adopted as it is": "%s 里的内容不能照原样收入",
	"keep one UTF-8 text file for each chapter and no links, then run `git novel init` again; `git novel import` reads other encodings": "每章只留一个 UTF-8 文本文件，不要用链接，然后再运行 `git novel init`；其他编码可用 `git novel import` 读入",

	// import
	"%d files of %s cannot be imported":                                                        "%[2]s 里有 %[1]d 个文件无法导入",
	"no text files, left out: %s":                                                              "不是文本文件，未收入：%s",
	"chapter %s has %d bytes: a chapter has at most %d":                                        "章节 %s 有 %d 字节，一章最多 %d 字节",
	"%d chapters are too large to be chapters":                                                 "有 %d 章太大，不像是一章",
	"see with --dry-run which headings were found, and put a heading line before each chapter": "用 --dry-run 看看找到了哪些标题，并在每章前加上标题行",
	"put files in the place of links, and keep one file of each chapter":                       "请用文件换掉链接，每章只留一个文件",
	"a file of chapter %s lies there already: %s":                                              "章节 %s 的文件已经在那里：%s",
	"`git novel init` adopts the folder %s as it lies there":                                   "用 `git novel init` 可把文件夹 %s 照原样收入",
	"import into a new book with --book NAME":                                                  "请用 --book 书名 导入到新书",
	"would be refused: %s":                                                                     "会被拒绝：%s",
	"number %d is missing in the source":                                                       "原文缺第 %d 号",
	"entered as drafted, commit %s":                                                            "已作为起草收入，提交 %s",
	"the file of chapter %s cannot be used":                                                    "章节 %s 的文件不能用",
	"put the text itself in the place of the link":                                             "请把正文本身放到链接的位置",

	// backup
	"the tags of new chapters could not be made now, the next backup makes them: %s": "新章节的标签这次没能建立，下次备份会补上：%s",
	"make the library's first commit with `git novel init`":                          "请先用 `git novel init` 完成书库的第一个提交",
	"not in git, so not in the backup: %s":                                           "不在 git 里，所以不在备份里：%s",
	"the backup %s is not complete":                                                  "备份 %s 没有完成",
	"%s has nothing of this branch yet":                                              "%s 里还没有这个分支",
	"%s holds %s, which is not in this history":                                      "%s 里是 %s，不在本地历史中",
	"%s holds %s, %d commits behind":                                                 "%s 里是 %s，落后 %d 个提交",
	"%d texts are not in git":                                                        "有 %d 份正文不在 git 里",
	"  %d branches and tags are there (--json lists them)":                           "  有 %d 个分支和标签已在那里（--json 列出）",
	"pushed: %s holds %s, which is not in this history":                              "已推送：%s 里是 %s，不在本地历史中",
	"committed: nothing yet":                                                         "已提交：尚无",

	// verify
}
