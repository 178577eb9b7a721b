package schema

import (
	"fmt"
	"strings"
)

// Texts of seed novel_draft, to the byte: the punctuation is half-width as in the seed.
const (
	DraftActionError = "草稿镜像只支持 action=commit(只追加)。它由程序维护、不交给 AI 读改清——需要清理请人工删除 <书库>/.novel-writer/drafts/ 下的文件"
	DraftTextBlank   = `参数 "text" 不能为空字符串`
	DraftInsideBook  = "草稿镜像不能放在正文目录 novels/%s/ 内——半成品会被章节扫描当成正文,污染字数与基线" // the book
	DraftLabel       = "草稿镜像"

	ChatModeChecklist = "实时聊天写作(硬约束):每写完一段就 novel_draft commit 交出去;nextAction=continue 就继续写、=ask_user 才用提问工具问用户;" +
		"镜像不读不改不清;提问时机由程序的字数阈值判定,不要自己决定"
	ChatBriefDegraded = "实时聊天写作:草稿镜像路径计算失败(本章不注入该模式)"
	ChatBriefRule     = "每段写完用 novel_draft 交出去并照 nextAction 执行;用户说不对就只改他指出的那几段;确认前不要写正式章节文件"
	FinalWriteSkipped = "定稿镜像写入失败(本章照常保存)"
)

// Values of nextAction.
const (
	NextContinue = "continue"
	NextAskUser  = "ask_user"
)

// DraftAnswer is the answer of novel_draft: 13 keys, and two more when the author is to be asked.
type DraftAnswer struct {
	Action       string `json:"action"` // always "commit"
	Book         string `json:"book"`
	Chapter      string `json:"chapter"`   // canonical draft key
	MirrorDir    string `json:"mirrorDir"` // absolute
	DraftFile    string `json:"draftFile"` // absolute; the claimed mirror when there is one
	SegmentIndex int    `json:"segmentIndex"`
	SegmentChars int    `json:"segmentChars"` // UTF-16 units, as the next three
	PendingChars int    `json:"pendingChars"`
	Threshold    int    `json:"threshold"`
	Remaining    int    `json:"remaining"`
	Prompts      int    `json:"prompts"`
	NextAction   string `json:"nextAction"`
	Message      string `json:"message"`
	CombinedText string `json:"combinedText,omitempty"`
	Question     string `json:"question,omitempty"`
}

// NewDraftAnswer fills the answer from what an append did: after is the ledger after it.
func NewDraftAnswer(book BookName, chapter, mirrorDir, draftFile string, after Ledger, b Batch, threshold int) DraftAnswer {
	a := DraftAnswer{
		Action: "commit", Book: string(book), Chapter: chapter, MirrorDir: mirrorDir, DraftFile: draftFile,
		SegmentIndex: b.Index, SegmentChars: b.Chars, PendingChars: b.Pending, Threshold: threshold,
		Remaining: max(0, threshold-after.PendingChars), Prompts: after.Prompts, NextAction: NextContinue,
	}
	if !b.Ask {
		a.Message = fmt.Sprintf("已写入第 %d 段,待确认 %d/%d 字,还差 %d 字到阈值", b.Index, b.Pending, threshold, a.Remaining)
		return a
	}
	a.NextAction = NextAskUser
	a.CombinedText = strings.Join(b.Segments, "\n\n")
	a.Question = DraftQuestion(len(b.Segments), b.Pending, threshold, a.CombinedText)
	a.Message = fmt.Sprintf("已写入第 %d 段,本批 %d 字 / 阈值 %d 字:已达阈值,现在停下来问用户", b.Index, b.Pending, threshold)
	return a
}

// DraftQuestion is what the author is asked about a batch of n segments and chars UTF-16 units.
func DraftQuestion(n, chars, threshold int, combined string) string {
	return fmt.Sprintf("这一段(本批合并 %d 段 / 共 %d 字,程序阈值 %d 字)写得对不对?\n\n%s\n\n对就继续写下一段;哪里不对请直接说,我按你说的改。",
		n, chars, threshold, combined)
}

// Render is the answer as text (seed novel_draft, output.render).
func (a DraftAnswer) Render() string {
	pending := fmt.Sprintf("待确认 %d/%d 字", a.PendingChars, a.Threshold)
	verdict := fmt.Sprintf("程序判定:继续写下一段(还差 %d 字到阈值)——不要自己去问用户。", a.Remaining)
	if a.NextAction == NextAskUser {
		pending = fmt.Sprintf("本批 %d 字 / 阈值 %d 字", a.PendingChars, a.Threshold)
		verdict = "程序判定:现在停下来问用户(阈值已到)。\n【问题】" + a.Question + "\n【本批正文】" + a.CombinedText
	}
	return fmt.Sprintf("<type>novel-draft</type>\n<content>\n%s\n\n镜像文件(给人看的,你不要读):%s\n第 %d 段已写入(%d 字)|%s|本章已提问 %d 次\n\n%s\n</content>",
		a.Message, a.DraftFile, a.SegmentIndex, a.SegmentChars, pending, a.Prompts, verdict)
}
