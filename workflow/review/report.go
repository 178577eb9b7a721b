package review

import (
	"fmt"
	"slices"
	"strings"

	"git-novel/schema"
)

// Report renders a recorded review as Markdown for a person. Overridden issues stay in it, with the reason and who gave it
// (seed harness_v6 4.4).
func Report(r *schema.Review) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# 审查报告：%s %s 第%d轮\n\n", r.Book, schema.KeyOfID(r.Chapter), r.Round)
	fmt.Fprintf(&b, "- 审查者：%s（%s）\n", r.Producer, depthName(r.Depth))
	fmt.Fprintf(&b, "- 正文：`%s`，%d 字，%s\n", r.Text.Path, r.Text.Chars, r.Text.Blob)
	if r.Binding == schema.BindingAtRecord {
		b.WriteString("- 绑定：由登记的人声明审查的就是当时磁盘上的正文\n")
	}
	fmt.Fprintf(&b, "- 结论：%s\n", verdict(r.Issues))
	if r.Summary != "" {
		fmt.Fprintf(&b, "- 概述：%s\n", oneLine(r.Summary))
	}
	if r.Dispute != "" {
		fmt.Fprintf(&b, "- 争议：作者对上一轮有异议——%s；本轮为针对该异议的重审\n", oneLine(r.Dispute))
	}
	if over := overridden(r.Issues); len(over) > 0 {
		fmt.Fprintf(&b, "- 覆盖：%s 由人放行，原问题保留在下文\n", strings.Join(over, "、"))
	}
	b.WriteString("\n## 各维度\n\n| 维度 | 结论 |\n|---|---|\n")
	for _, d := range r.Dimensions.SortedNames() {
		c := "通过"
		if n := int(r.Dimensions[d]); n > 0 {
			c = fmt.Sprintf("%d 个问题", n)
		}
		fmt.Fprintf(&b, "| %s | %s |\n", categoryName(d), c)
	}
	writeIssues(&b, r.Issues)
	return b.String()
}

// PendingDispute is the part of a report that says what a person holds against the review, while nobody has answered it;
// empty when there is nothing.
func PendingDispute(dispute string) string {
	if dispute == "" {
		return ""
	}
	return fmt.Sprintf("\n## 争议（待重审）\n\n- 作者的异议：%s\n- 需要对同一正文再做一次完整审查来回答\n", oneLine(dispute))
}

// overridden lists the ids of the issues that a person let go.
func overridden(issues []schema.Issue) []string {
	var ids []string
	for _, i := range issues {
		if i.Override != nil {
			ids = append(ids, i.ID)
		}
	}
	return ids
}

// RecheckReport renders the re-check that lies beside a review, as a part of the same report.
func RecheckReport(r *schema.Recheck) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n# 去AI味复检\n\n- 复检者：%s（%s），任务 %s\n", r.Producer, depthName(r.Depth), r.Task)
	fmt.Fprintf(&b, "- 正文：`%s`，%d 字，%s\n- 结论：%s\n", r.Text.Path, r.Text.Chars, r.Text.Blob, verdict(r.Issues))
	if r.Summary != "" {
		fmt.Fprintf(&b, "- 概述：%s\n", oneLine(r.Summary))
	}
	writeIssues(&b, r.Issues)
	return b.String()
}

// verdict says in one line whether the chapter may go on.
func verdict(issues []schema.Issue) string {
	open, over := 0, 0
	for _, i := range issues {
		switch {
		case i.Blocks():
			open++
		case i.Override != nil:
			over++
		}
	}
	s := "没有未解决的阻断问题"
	if open > 0 {
		s = fmt.Sprintf("**阻断**，%d 个问题必须先解决", open)
	}
	if over > 0 {
		s += fmt.Sprintf("；%d 个由人覆盖", over)
	}
	return s
}

func writeIssues(b *strings.Builder, issues []schema.Issue) {
	if len(issues) == 0 {
		b.WriteString("\n没有问题。\n")
		return
	}
	sorted := slices.Clone(issues)
	slices.SortStableFunc(sorted, func(a, c schema.Issue) int { return rank(a) - rank(c) })
	for _, i := range sorted {
		mark := ""
		switch {
		case i.Override != nil:
			mark = "（阻断，已覆盖）"
		case i.Blocks():
			mark = "（阻断）"
		}
		fmt.Fprintf(b, "\n## %s %s·%s%s\n\n", i.ID, severityName(i.Severity), categoryName(i.Category), mark)
		fmt.Fprintf(b, "- 位置：%s\n- 问题：%s\n- 证据：%s\n", orDash(i.Location), oneLine(i.Description), oneLine(i.Evidence))
		if i.FixHint != "" {
			fmt.Fprintf(b, "- 改法：%s\n", oneLine(i.FixHint))
		}
		if i.Override != nil {
			fmt.Fprintf(b, "- 覆盖原因：%s（%s）\n", oneLine(i.Override.Reason), oneLine(i.Override.By))
		}
	}
}

// rank sorts open blocking issues first, then by severity.
func rank(i schema.Issue) int {
	n := slices.Index(schema.Severities(), i.Severity)
	if !i.Blocks() {
		n += len(schema.Severities())
	}
	return n
}

// oneLine keeps a text from breaking out of its list item.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func orDash(s string) string {
	if s == "" {
		return "—"
	}
	return oneLine(s)
}

func severityName(s schema.Severity) string {
	switch s {
	case schema.SeverityCritical:
		return "致命"
	case schema.SeverityHigh:
		return "严重"
	case schema.SeverityMedium:
		return "中等"
	case schema.SeverityLow:
		return "轻微"
	}
	return string(s)
}

func categoryName(c schema.Category) string {
	switch c {
	case schema.CategorySetting:
		return "设定一致性"
	case schema.CategoryTimeline:
		return "时间线"
	case schema.CategoryContinuity:
		return "叙事连贯"
	case schema.CategoryCharacter:
		return "角色一致性"
	case schema.CategoryLogic:
		return "逻辑"
	case schema.CategoryAIFlavor:
		return "AI 味"
	case schema.CategoryPacing:
		return "节奏"
	case schema.CategoryOther:
		return "其他"
	}
	return string(c)
}

func depthName(d string) string {
	switch d {
	case schema.DepthAgent:
		return "审查代理"
	case schema.DepthMechanical:
		return "机械检查"
	case schema.DepthPerson:
		return "人工"
	}
	return d
}
