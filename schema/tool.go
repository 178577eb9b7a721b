package schema

// Tool is a tool that the server offers to agents, with the label that people know it by.
type Tool struct {
	Name  string
	Label string // Chinese, as the panel and the switch's message show it
}

// Names of the tools that other code speaks of.
const (
	ToolDraft   = "novel_draft"
	ToolSummary = "novel_summary"
	ToolConfig  = "novel_sentence_config" // the one that cannot be switched off
)

// Tools lists every tool that has a switch (DESIGN 9), in the order of the settings page.
func Tools() []Tool {
	return []Tool{
		{"novel_books", "书库作品"},
		{"novel_chapters", "章节列表"},
		{"novel_read", "章节阅读"},
		{"novel_new_chapter", "新建章节"},
		{"novel_import", "作品导入"},
		{ToolConfig, "功能设置"},
		{ToolSummary, "章节摘要"},
		{"novel_outline", "章节大纲"},
		{"novel_chapter_brief", "开写包"},
		{"novel_delete_book", "作品删除"},
		{"novel_diagnose", "诊断报告"},
		{ToolDraft, DraftLabel},
		{"novel_status", "进度看板"},
		{"novel_context", "写作上下文"},
		{"novel_review", "章节审查"},
		{"novel_chapter_commit", "章节提交"},
		{"novel_query", "记忆查询"},
		{"novel_diff", "文本对比"},
		{"novel_history", "历史记录"},
		{"novel_backup", "备份推送"},
		{"novel_batch", "批量写作"},
	}
}

// FindTool gives the tool of a name.
func FindTool(name string) (Tool, bool) {
	for _, t := range Tools() {
		if t.Name == name {
			return t, true
		}
	}
	return Tool{}, false
}

// ToolOff is the message of a tool that is switched off: its name and its label (reference 1.2).
const ToolOff = "工具 %s（%s）当前已在「写作助手功能」UI 中关闭。可用 novel_sentence_config 或侧边栏面板重新开启。"

// ChapterTaken is the message for a number that is in use: the number and the file (reference 1.11).
const ChapterTaken = "第 %d 章已存在（%s）——不会覆盖旧稿；如需更新请先确认或使用其他章号"

// ChapterAmbiguous is the message for a number that several files have: the number, how many, and which (reference 1.8).
const ChapterAmbiguous = "第 %d 章有 %d 个文件，无法确定要哪一份：%s"

// DraftNotTaken is the event of a draft that a transition could not put into git.
const DraftNotTaken = "草稿镜像未能进入 git(本章照常保存)"

// SummaryDamaged is said when a summaries file that could not be read was put away before a write.
const SummaryDamaged = "⚠️ 原摘要文件已损坏、按空处理；损坏的原文已先存入 git 分支 %s"

// BookFolderMissing is the message for a book that has neither records nor a folder: the folder (reference 1.5).
const BookFolderMissing = "书库中未找到作品目录：%s（检查书名是否精确匹配——可用 novel_books 查看全部作品名；或确认 novels/ 下已创建该书目录）"
