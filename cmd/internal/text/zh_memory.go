package text

// zhMemory is the Chinese of the memory contract, the index and the search.
var zhMemory = map[string]string{
	// index
	"%s is not a folder":                      "%s 不是文件夹",
	"cannot delete %s":                        "无法删除 %s",
	"another command is at work on the index": "另一个命令正在写索引",
	"the index cannot be used":                "索引无法使用",
	"%s cannot be used now and this answer was computed without it: %s": "%s 目前无法使用，本次结果不经它直接算出：%s",

	"a part of the memory cannot be read: %s": "有一部分记忆无法读取：%s",

	// memory contract
	"the memory knows no entity %s":                                      "记忆里没有实体 %s",
	"`git novel search %s` finds where the texts name it":                "用 `git novel search %s` 查看正文在哪里提到它",
	"%q is no status of a loop":                                          "%q 不是伏笔的状态",
	"use active, closed or all":                                          "可用 active、closed 或 all",
	"the timeline goes from a chapter to a later one, not from %d to %d": "时间线要从较早的章到较晚的章，不能从 %d 到 %d",
	"chapter %s: %s":                                                     "章 %s：%s",
	"%s cannot be read and is left out of the memory":                    "%s 无法读取，没有进入记忆",
	"--limit and --last-n must be at least 1":                            "--limit 与 --last-n 至少为 1",
	"--limit must be at least 1":                                         "--limit 至少为 1",
	"--last-n must be at least 1":                                        "--last-n 至少为 1",

	// load-context
	"--budget-tokens must be at least 1":         "--budget-tokens 至少为 1",
	"%q is no intent":                            "%q 不是用途",
	"use draft, review or repair":                "可用 draft、review 或 repair",
	"the review of this chapter cannot be read":  "本章的审查记录无法读取",
	"the chapter has no outline":                 "本章没有章纲",
	"%d of the last %d chapters have no summary": "最近章节中有 %d 章没有摘要（共 %d 章）",

	// backfill
	"%q is no range of chapters":                    "%q 不是章节范围",
	"write it like 1-200 or 7, several with commas": "写成 1-200 或 7，多段用逗号隔开",

	// search
	"there is no word to search for":     "没有要查找的词",
	"%q is no kind of text":              "%q 不是可查找的种类",
	"use chapters, summaries or records": "可用 chapters、summaries 或 records",

	// command line
	"what the committed chapters say, as JSON":                                        "已入库章节的记忆，输出 JSON",
	"what it is for: `INTENT` draft, review or repair":                                "用途 `INTENT`：draft、review 或 repair",
	"what there is to know before a chapter, within a budget":                         "写一章之前要知道的内容，不超出预算",
	"what was true at the end of chapter `N` (default: the last one)":                 "第 `N` 章结束时的情形（默认最后一章）",
	"id, name or alias (`NAME`) of the entity":                                        "实体的编号、正名或别名（`NAME`）",
	"a person, place or thing as it stood":                                            "某个人物、地点或物品当时的状态",
	"the rules of the world that hold":                                                "生效中的世界规则",
	"only this `DOMAIN` and what lies below it":                                       "只列这个领域 `DOMAIN` 及其子域",
	"only this `SCOPE`":                                                               "只列这个范围 `SCOPE`",
	"how entities stand to each other":                                                "实体之间的关系",
	"only those that `NAME` has a part in":                                            "只列与 `NAME` 有关的",
	"the summary of a chapter":                                                        "一章的摘要",
	"open questions and promises, the most urgent first":                              "未闭合的伏笔与承诺，最紧迫的在前",
	"`STATUS` active, closed or all":                                                  "状态 `STATUS`：active、closed 或 all",
	"the events of a range of chapters":                                               "一段章节的事件",
	"first chapter":                                                                   "起始章",
	"last chapter":                                                                    "结束章",
	"what the records say that the memory could not follow":                           "记录里说了而记忆对不上的地方",
	"the memory of a book":                                                            "一本书的记忆",
	"let the data agent read adopted chapters (1-200, 7), so that they have a memory": "让数据代理补读收编的章节（1-200、7），使其进入记忆",
	"chapters read":                                                                   "已读章节",
	"%d chapters read, %d had their facts already, %d to go":                          "读了 %d 章，%d 章已有事实，还剩 %d 章",
	"what is counted over the records, in the envelope of the older tool":             "按记录统计的结果，沿用旧工具的信封格式",
	"count over the last `N` chapters":                                                "统计最近 `N` 章",
	"hooks and payoffs of the last chapters":                                          "最近章节的钩子与爽点",
	"list at most `N`":                                                                "最多列出 `N` 条",
	"metrics of the last reviews":                                                     "最近审查的指标",
	"how the last reviews went together":                                              "最近审查的整体趋势",
	"make index.db anew":                                                              "重建 index.db",
	"find words in chapters, summaries and records":                                   "在正文、摘要和记录里查找词语",
	"only in `KIND` chapters, summaries or records":                                   "只找 `KIND`：chapters、summaries 或 records",
	"nothing found in what is saved":                                                  "已保存的内容里没有找到",
	"… and more: --limit shows them":                                                  "……还有更多：用 --limit 显示",
}
