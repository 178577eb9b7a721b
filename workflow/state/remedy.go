package state

import "git-novel/schema"

// Remedy says how an offence that the checker found is put right, and with which command; false when the fault's own
// message is all there is to say. chapter is what the command line calls the chapter, N when it is not known.
func Remedy(rule, chapter string) (schema.Text, bool) {
	switch rule {
	case "review-missing", "review-not-full", "review-blocking", "evidence-stale", "polish-too-large", "polish-unknown",
		"evidence-removed":
		return schema.Textf("`git novel review task %[1]s` and `git novel review record --chapter %[1]s --results F` give the evidence", chapter), true
	case "anti-ai-missing", "recheck-blocking":
		return schema.Textf("`git novel review task %[1]s --kind recheck` asks for the independent re-check of ai_flavor", chapter), true
	case "commit-missing", "summary-missing", "node-missed", "waiver-reason", "review-differs":
		return schema.Textf("`git novel chapter-commit --chapter %[1]s` makes the chapter commit, its summary and the state together", chapter), true
	case "committed-text-changed", "commit-rewritten", "retcon-reason", "typo-too-large", "typo-unknown", "revision-back",
		"origin-changed":
		return schema.Textf(
			"a committed chapter changes by `git novel retcon %[1]s --reason R`, or by `git novel chapter save %[1]s --typo` for a few characters", chapter), true
	case "state-back", "state-lost", "state-behind", "book-state", "state-owner":
		return schema.Textf("`git novel recover %[1]s` writes the state that the records say; states never go back", chapter), true
	case "chapter-missing":
		return schema.Textf(
			"`git novel recover %[1]s` brings the text back; a chapter leaves by `git novel chapter discard %[1]s` or `git novel chapter retract %[1]s --reason R`", chapter), true
	case "retract-highest":
		return schema.Textf("retract the chapters above it first, the highest before the others, or change it by `git novel retcon %[1]s --reason R`", chapter), true
	case "book-delete-incomplete":
		return schema.Textf("`git novel book delete B --yes` moves a whole book to a trash branch"), true
	case "number-next", "predecessor-open":
		return schema.Textf("`git novel status` names what comes first"), true
	case "chapter-duplicate":
		return schema.Textf("`git novel chapter resolve %[1]s --take A|B` keeps one text and puts the other into the draft mirror", chapter), true
	case "draft-in-novels":
		return schema.Textf("drafts live in .novel-writer/drafts; `git novel draft commit` writes them there"), true
	case "adopt-written", "adopt-draft", "adopt-drafted":
		return schema.Textf("enter it as a drafted chapter with `git novel chapter save %[1]s`", chapter), true
	case "binding-path", "binding-chars":
		return schema.Textf("rename a chapter with `git novel chapter rename %[1]s --title T`, which keeps its records right", chapter), true
	case "record-damaged", "record-invalid", "record-owner", "config-invalid":
		return schema.Textf("`git novel recover` gives the last good version back"), true
	case "record-without-state":
		return schema.Textf("`git novel chapter save %[1]s` enters the chapter first", chapter), true
	}
	return schema.Text{}, false
}
