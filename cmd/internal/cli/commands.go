package cli

import "github.com/urfave/cli/v2"

// commands is the command tree, in the order of the help.
func (e *Env) commands() []*cli.Command {
	return []*cli.Command{
		newInitCommand(e), newDemoCommand(e), newStatusCommand(e), newStatsCommand(e), newDiagnoseCommand(e), newRecoverCommand(e), newConfigGroup(e), newSchemaCommand(e),
		newBookGroup(e), newImportCommand(e),
		newChapterGroup(e), newChapterPathCommand(e), newDiffCommand(e), newLogCommand(e), newRetconCommand(e),
		newDraftGroup(e), newSummaryGroup(e), newBriefCommand(e),
		newOutlineGroup(e), newContextCommand(e), newReviewGroup(e), newReviewPipelineCommand(e), newContractGroup(e), newPatternsGroup(e), newChapterCommitCommand(e), newStateGroup(e), newWriteCommand(e),
		newMemoryContractGroup(e), newMemoryGroup(e), newIndexGroup(e), newSearchCommand(e),
		newVerifyCommand(e), newHooksGroup(e), newBackupGroup(e),
		newAgentsGroup(e), newMCPCommand(e), newGuardCommand(e),
		newTextconvCommand(e), newHookCommand(e), newVersionCommand(e), newHelpCommand(e),
	}
}
